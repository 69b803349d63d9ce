"""Commands whose every fault of usage is an InputError: one plain line, never a frame."""

import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from simlab.lab.wording import ArgumentProblem
from simlab.model.errors import InputError, Problem, nearest, shown
from simlab.model.typed_situation import read_number

_NEGATIVE_SIDE = re.compile(r"-[0-9.]+\s")
_OPTION = re.compile(r"-[a-z]|--[a-z][a-z-]*")
_QUOTED = re.compile(r'"([^"]*)"(?= for turn |$)')
_PLAIN = frozenset({"true", "false", "null"})


class PlainCommand(TyperCommand):
    """A command that names its options as they are typed when it or lab finds a fault."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; raises InputError for unknown, missing or superfluous ones.

        A side that starts with a negative count is an argument, for lab to refuse, and no option.
        """
        args = [f" {text}" if _NEGATIVE_SIDE.match(text) else text for text in args]
        allow_extra, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            rest = super().parse_args(ctx, args)
        except typer.TyperException as error:
            raise InputError([usage_problem(error, self)]) from None
        ctx.allow_extra_args = allow_extra
        if rest:
            names = [argument_name(param) for param in self.params if _is_argument(param)]
            raise InputError.one(
                "arguments",
                " ".join(map(token, rest)),
                f"nothing after {' '.join(names) or self.name}",
            )
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line: `[OPTIONS] A B`, an optional argument in brackets."""
        return [
            "[OPTIONS]",
            *(_optional(param) for param in self.params if _is_argument(param)),
        ]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lists of arguments and of options."""
        params: list[Any] = self.get_params(ctx)
        arguments = [(argument_name(param), param.help) for param in params if _is_argument(param)]
        records = [param.get_help_record(ctx) for param in params if not _is_argument(param)]
        for title, rows in (("Arguments", arguments), ("Options", [row for row in records if row])):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; problems of its parameters carry their names on the command line."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            raise InputError(self._as_typed(problem, ctx.params) for problem in error.problems) from error

    def _as_typed(self, problem: Problem, typed: dict[str, Any]) -> Problem:
        """A problem in the words of the command line; typed: what was given, by parameter."""
        field, found, allowed = problem.field, problem.found, problem.allowed
        if isinstance(problem, ArgumentProblem):
            found, allowed = problem.options
        if problem.file:
            return Problem(problem.file, problem.line, field, found, allowed, problem.hint)
        params = {param.name: param for param in self.params}
        for argument, name in _SPELLED.items():
            if name in params:
                params.setdefault(argument, params[name])
        if field in {text.partition("=")[0] for text in typed.get("settings") or ()}:
            field, found = f"--set {field}", bare(found)
        elif field in params:
            found = _found_as_typed(found, typed.get(params[field].name))
            field = argument_name(params[field])
        return Problem("", problem.line, field, found, allowed, problem.hint)


class PlainGroup(TyperGroup):
    """The commands, with the nearest spelling for an unknown one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command; raises InputError for unknown ones, and without a command."""
        if not args:
            raise InputError.one("command", "nothing", ", ".join(self.commands))
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            raise InputError([usage_problem(error, self)]) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names; raises InputError with the nearest one."""
        name = args[0]
        if name not in self.commands:
            names = list(self.commands)
            raise InputError.one("command", token(name), ", ".join(names), nearest(name, names))
        return super().resolve_command(ctx, args)


def argument_name(param: Any) -> str:
    """Return how a parameter is typed: `--aspect-a`, or the name of an argument in capitals, `A`."""
    return str(param.metavar or param.name) if _is_argument(param) else str(max(param.opts, key=len))


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _optional(param: Any) -> str:
    name = argument_name(param) + ("..." if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def usage_problem(error: typer.TyperException, command: Any) -> Problem:
    """Return what the parser refused as a problem in our words."""
    option = getattr(error, "option_name", None)
    param = getattr(error, "param", None)
    if option is not None and hasattr(error, "possibilities"):
        shown_ones = [each for each in command.params if not (_is_argument(each) or each.hidden)]
        options = [argument_name(each) for each in shown_ones]
        return Problem("", None, "option", token(option), ", ".join(options), nearest(option, options))
    if option is not None:
        return Problem("", None, option, "nothing after it", "a value")
    if param is not None:
        return Problem("", None, argument_name(param), "nothing", param.help or "a value")
    return Problem("", None, "usage", error.format_message(), f"what `{command.name} --help` shows")


def token(text: str) -> str:
    """Return what was typed, for a message.

    As everywhere a text that is no plain word is in quotes; a number, true or false and an option need none here, for
    all that is typed is text.
    """
    return text if _is_plain(text) else shown(text)


def bare(found: str) -> str:
    """Return what was found, without the quotes that tell a text from a number where there are types."""
    quoted = _QUOTED.match(found)
    return found if quoted is None or not _is_plain(quoted[1]) else quoted[1] + found[quoted.end() :]


def _is_plain(text: str) -> bool:
    return text in _PLAIN or _OPTION.fullmatch(text) is not None or read_number(text) is not None


def _found_as_typed(found: str, given: Any) -> str:
    """What was found as it was typed, `1e-9` and not `1e-09`, if it is the whole of what was typed."""
    if isinstance(given, str) and found in (given, shown(given), shown(read_number(given))):
        return token(given)
    if isinstance(given, list | tuple) and (found == shown(list(given)) or found.startswith("{")):
        return ", ".join(map(token, given))
    return bare(found)


_SPELLED = {"aspect_b": "aspect", "set": "settings", "all": "every"}
"""Arguments of lab by which parameter of a command gives them, where the names differ."""
