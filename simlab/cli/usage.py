"""Commands whose every fault of usage is an InputError: one plain line, never a frame."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from simlab.model.errors import InputError, Problem, nearest

_NEGATIVE_SIDE = re.compile(r"-[0-9.]+\s")


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
                " ".join(rest),
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
            names = {param.name: argument_name(param) for param in self.params}
            names.setdefault("aspect_b", names.get("aspect", "aspect_b"))
            names.setdefault("set", names.get("settings", "set"))
            settings = {text.partition("=")[0] for text in ctx.params.get("settings") or ()}
            raise InputError(_renamed(error.problems, names, settings)) from error


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
            raise InputError.one("command", name or '""', ", ".join(names), nearest(name, names))
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
        options = [argument_name(each) for each in command.params if not _is_argument(each)]
        return Problem("", None, "option", option, ", ".join(options), nearest(option, options))
    if option is not None:
        return Problem("", None, option, "nothing after it", "a value")
    if param is not None:
        return Problem("", None, argument_name(param), "nothing", param.help or "a value")
    return Problem("", None, "usage", error.format_message(), f"what `{command.name} --help` shows")


def _renamed(problems: tuple[Problem, ...], names: dict[str, str], settings: set[str]) -> Iterator[Problem]:
    for problem in problems:
        field = problem.field
        if not problem.file and field in settings:
            field = f"--set {field}"
        elif not problem.file:
            field = names.get(field, field)
        yield Problem(
            problem.file,
            problem.line,
            field,
            problem.found,
            problem.allowed,
            problem.hint,
        )
