"""Strict models over documents: pydantic's errors become problems with field, line and legal values."""

import types
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from simlab.model.document import Document
from simlab.model.errors import MOST_LISTED, InputError, Problem, nearest, shown

M = TypeVar("M", bound=BaseModel)

MOST_READ = 5 * MOST_LISTED
"""Errors that are turned into problems; more are a flood that is cut anyway."""

MISSING = "nothing (the key is missing)"


class StrictModel(BaseModel):
    """Frozen; no unknown keys; `true` and 2.0 are no integers; no NaN, no infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def validate(model: type[M], document: Document, also: Iterable[Problem] = ()) -> M:
    """The document's value as `model`.

    Raises InputError with all problems at once, in the order of lines: the model's, the document's duplicate
    keys, and `also`, what the caller found himself.
    """
    problems = [*document.problems, *also]
    try:
        instance = model.model_validate(document.value)
    except ValidationError as error:
        problems += _problems(error, model, document)
        raise InputError.listed(problems) from None
    if problems:
        raise InputError.listed(problems)
    return instance


def _problems(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """One problem a path; branches of a union that failed at the same place count once."""
    taken: dict[tuple[Hashable, ...], Problem] = {}
    for item in islice(error.errors(include_url=False), MOST_READ):
        if not _is_echo(item):
            path, problem = _problem(item, model, document)
            taken.setdefault(path, problem)
    return list(taken.values())


def _is_echo(item: Mapping[str, Any]) -> bool:
    """Whether an error only repeats others: a list short of bad items, a default that waits for a field."""
    if item["type"] == "too_short":
        return len(item["input"]) >= int(item["ctx"]["min_length"])
    return bool(item["type"] == "default_factory_not_called")


def _problem(
    item: Mapping[str, Any], model: type[BaseModel], document: Document
) -> tuple[tuple[Hashable, ...], Problem]:
    loc, kind = item["loc"], item["type"]
    if (
        loc
        and loc[-1] == "[key]"
        and (path := _path_in(document.value, loc[:-1])) == _path_in(document.value, loc)
    ):
        allowed = describe(_key_type(annotation_at(model, path[:-1])))
        return path, document.problem(path, f"the key {shown(path[-1])}", allowed)
    if kind == "missing" and isinstance(loc[-1], str):
        path = (*_path_in(document.value, loc[:-1]), loc[-1])
        return path, document.problem(path, MISSING, describe(annotation_at(model, path)))
    if kind in ("extra_forbidden", "invalid_key"):
        parent = _path_in(document.value, loc[:-1])
        path = _path_in(document.value, loc)
        path = path if len(path) > len(parent) else (*parent, loc[-1])
        keys = _keys_of(annotation_at(model, parent))
        return path, document.problem(path, "an unknown key", ", ".join(keys), nearest(path[-1], keys))
    path = _path_in(document.value, loc)
    value = _value_at(document.value, path)
    annotation = annotation_at(model, path)
    allowed, hint = _allowed(item, annotation), nearest(value, _choices(annotation))
    context = item.get("ctx", {})
    return path, document.problem(
        path, context.get("found") or shown(value), allowed, context.get("hint") or hint
    )


def _allowed(item: Mapping[str, Any], annotation: Any) -> str:
    """The legal values in words: a validator's own, the field's description, or what the type says."""
    context = item.get("ctx", {})
    if "allowed" in context:
        return str(context["allowed"])
    if item["type"] == "value_error" and _description(annotation) is None:
        return str(context.get("error", item["msg"]))
    return describe(annotation)


def _path_in(value: Any, loc: Sequence[Any]) -> tuple[Hashable, ...]:
    """The parts of a pydantic location that exist in the value; names of union branches fall out."""
    path: list[Hashable] = []
    for part in loc:
        if isinstance(value, Mapping):
            for key in (part,) if part in value else (key for key in value if str(key) == part):
                path.append(key)
                value = value[key]
                break
        elif isinstance(value, list | tuple) and isinstance(part, int) and 0 <= part < len(value):
            path.append(part)
            value = value[part]
    return tuple(path)


def _value_at(value: Any, path: Sequence[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def annotation_at(model: Any, path: Sequence[Hashable]) -> Any:
    """The annotation, with its constraints, at a path below a model or annotation; None if there is none."""
    here: Any = model
    for part in path:
        here = next(
            (found for option in _options(here) if (found := _inside(option, part)) is not None), None
        )
    return here


def _options(annotation: Any) -> list[Any]:
    """The members of a union, bare; a single type is its own only member. None is left out."""
    bare, _ = _split(annotation)
    if get_origin(bare) in (Union, types.UnionType):
        return [inner for arg in get_args(bare) if arg is not type(None) for inner in _options(arg)]
    return [bare]


def _inside(bare: Any, part: Hashable) -> Any:
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        info = fields_of(bare).get(part) if isinstance(part, str) else None
        return None if info is None else Annotated[info.annotation, info]
    origin, args = get_origin(bare), get_args(bare)
    if origin is dict:
        return args[1]
    if origin is tuple and len(args) > 1 and args[1] is not Ellipsis:
        return args[part] if isinstance(part, int) and part < len(args) else None
    return args[0] if origin in (list, tuple) and args else None


def _split(annotation: Any) -> tuple[Any, list[Any]]:
    """The type below `Annotated` and its constraints, flat."""
    flat: list[Any] = []
    while get_origin(annotation) is Annotated:
        annotation, *metadata = get_args(annotation)
        for entry in metadata:
            flat += [entry, *entry.metadata] if isinstance(entry, FieldInfo) else [entry]
    return annotation, flat


def _description(annotation: Any) -> str | None:
    _, metadata = _split(annotation)
    return next((m.description for m in metadata if isinstance(m, FieldInfo) and m.description), None)


def _bound(metadata: list[Any], name: str) -> Any:
    return next((getattr(m, name) for m in metadata if getattr(m, name, None) is not None), None)


def _keys_of(annotation: Any) -> list[str]:
    for bare in _options(annotation):
        if isinstance(bare, type) and issubclass(bare, BaseModel):
            return list(fields_of(bare))
    return []


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by the names under which they are written."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _key_type(annotation: Any) -> Any:
    return next((get_args(bare)[0] for bare in _options(annotation) if get_origin(bare) is dict), str)


def _choices(annotation: Any) -> list[str]:
    return [
        c
        for bare in _options(annotation)
        if get_origin(bare) is Literal
        for c in get_args(bare)
        if isinstance(c, str)
    ]


def describe(annotation: Any) -> str:
    """The legal values in words, `a whole number from 0 to 63`; a field's description goes first."""
    own = _description(annotation)
    if own is not None:
        return own
    bare, metadata = _split(annotation)
    if get_origin(bare) in (Union, types.UnionType):
        return " or ".join("null" if arg is type(None) else describe(arg) for arg in get_args(bare))
    if bare is bool:
        return "true or false"
    if bare is int or bare is float:
        return ("a whole number" if bare is int else "a number") + _limits(metadata)
    if bare is str:
        return "text"
    if get_origin(bare) is Literal:
        return ", ".join(str(choice) for choice in get_args(bare))
    if get_origin(bare) in (list, tuple):
        return _describe_list(bare, metadata)
    keys = _keys_of(bare)
    return f"a mapping with the keys {', '.join(keys)}" if keys else "a mapping"


def _limits(metadata: list[Any]) -> str:
    low, high, above, below = (_bound(metadata, name) for name in ("ge", "le", "gt", "lt"))
    if low is not None and high is not None:
        return f" from {low} to {high}"
    lower = f" of at least {low}" if low is not None else f" above {above}" if above is not None else ""
    upper = f" of at most {high}" if high is not None else f" below {below}" if below is not None else ""
    return " and".join(part for part in (lower, upper) if part)


def _describe_list(bare: Any, metadata: list[Any]) -> str:
    args = [arg for arg in get_args(bare) if arg is not Ellipsis]
    inner = describe(args[0]) if args else "anything"
    least, most = _bound(metadata, "min_length"), _bound(metadata, "max_length")
    if get_origin(bare) is tuple and len(args) == len(get_args(bare)):
        least = most = len(args)
    if least is not None and least == most:
        return f"a list of {least}, each {inner}"
    size = f" of {least or 0} to {most}" if most is not None else f" of at least {least}" if least else ""
    return f"a list{size}, each {inner}"
