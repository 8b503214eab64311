"""Reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer.main

from farkas.cli.app import COMMANDS, app
from farkas_docs.text import cell, escaped, fence, page, table


def pages() -> Iterator[tuple[str, str]]:
    """``command_line``."""
    group: Any = typer.main.get_command(app)
    parts = [escaped(coded(inspect.cleandoc(group.help or "")))]
    parts += [_command(name, group.get_command(None, name)) for name in COMMANDS]
    yield "command_line", page("Command line", *parts)


# Options and commands in a sentence; what stands in code already is left alone.
_TYPED = re.compile(
    r"``?.+?``?|(?<![\w-])--[a-z][a-z-]*|(?<![\w/.-])farkas [a-z]+(?![\w.-])", re.DOTALL
)


def coded(text: str) -> str:
    """Sentence with what is typed in it as code.

    >>> coded("for farkas check, or --json; farkas is `--here`")
    'for `farkas check`, or `--json`; farkas is `--here`'
    """

    def code(found: re.Match[str]) -> str:
        words = found[0]
        command = words.removeprefix("farkas ")
        typed = words.startswith("--") or (command != words and command in COMMANDS)
        return f"`{words}`" if typed else words

    return _TYPED.sub(code, text)


def _command(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join(["farkas", name, *command.collect_usage_pieces(context)])
    rows = [_parameter(p) for p in command.params if p.name != "help"]
    words = escaped(coded(inspect.cleandoc(command.help or "")))
    parts = [f"## farkas {name}", fence(usage), words]
    if rows:
        parts.append(table(["argument or option", "meaning"], rows))
    return "\n\n".join(parts)


def _parameter(parameter: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [f"`{parameter.metavar or parameter.name.upper()}`", cell(coded(_help(parameter)))]
    flags = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    shown = "" if default in (None, False, "") or callable(default) else f" Default: {default}."
    return [flags, cell(coded(_help(parameter) + shown))]


def _help(parameter: Any) -> str:
    return getattr(parameter, "help", None) or ""
