"""Reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import typer.main

from farkas.cli.app import COMMANDS, app
from farkas_docs.text import cell, escaped, fence, page, table

#: One call a command.
EXAMPLES = {
    "demo": "farkas demo",
    "run": "farkas run mlbroker/tiny mlbroker.local -o run.json",
    "compare": "farkas compare mlbroker/tiny",
    "solve": 'farkas solve mlbroker/tiny -p "mlbroker.relaxed[tight]" --certify',
    "optimum": "farkas optimum eris/demo --time-limit 10",
    "worst": "farkas worst coded.simple_greedy --range rate=1..1000 --seconds 5",
    "prove": "farkas prove mlbroker/tiny -p mlbroker.offline --write proof.json",
    "check": "farkas check run.json --instance mlbroker/tiny",
    "claims": "farkas claims mlbroker.printed_dual --run",
    "list": "farkas list algorithms gadget",
    "show": "farkas show mlbroker.offline",
    "generate": "farkas generate mlbroker --preset small -o market.json",
    "import": "farkas import csv jobs.csv --kind gadget -o cluster.json",
    "new": "farkas new policy gadget -o mine.py",
    "sweep": "farkas sweep broker.toml",
    "figure": "farkas figure mlbroker 5 --preset reduced -o figure.png",
}


def pages() -> Iterator[tuple[str, str]]:
    """``command_line``."""
    group: Any = typer.main.get_command(app)
    parts = [escaped(coded(inspect.cleandoc(group.help or "")))]
    parts += [_command(name, group.get_command(None, name)) for name in COMMANDS]
    yield "command_line", page("Command line", *parts)


# Options and commands in a sentence; what stands in code already is left alone.
_TYPED = re.compile(
    r"``?.+?``?|(?<![\w-])--[a-z][a-z-]*|(?<![\w/.-])farkas [a-z]+(?: solvers| install)?(?![\w.-])",
    re.DOTALL,
)


def coded(text: str) -> str:
    """Sentence with what is typed in it as code.

    >>> coded("for farkas check, or --json; farkas is `--here`")
    'for `farkas check`, or `--json`; farkas is `--here`'
    """

    def code(found: re.Match[str]) -> str:
        words = found[0]
        command = words.removeprefix("farkas ").partition(" ")[0]
        typed = words.startswith("--") or (command != words and command in COMMANDS)
        return f"`{words}`" if typed else words

    return _TYPED.sub(code, text)


def _command(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join(["farkas", name, *command.collect_usage_pieces(context)])
    rows = [_parameter(p) for p in command.params if p.name != "help"]
    words = escaped(coded(inspect.cleandoc(command.help or "")))
    parts = [f"## farkas {name}", fence(usage), words, "For example:", fence(EXAMPLES[name])]
    if rows:
        parts.append(table(["argument or option", "type", "default", "meaning"], rows))
    return "\n\n".join(parts)


def _parameter(parameter: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        names = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    empty = default is None or default is False or default == "" or callable(default)
    shown = "" if empty else f"`{default}`"
    kind = _type(parameter.type_descriptor.annotation)
    return [names, kind, shown, cell(coded(_help(parameter)))]


def _type(annotation: Any) -> str:
    """Say what an option takes; a flag takes nothing.

    >>> _type(float), _type(list[str]), _type(Literal["full", "reduced"]), _type(bool)
    ('number', 'text, repeatable', '`full`, `reduced`', '')
    """
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(annotation))
    if get_origin(annotation) is list:
        return f"{_type(get_args(annotation)[0])}, repeatable"
    return {str: "text", int: "integer", float: "number", bool: ""}[annotation]


def _help(parameter: Any) -> str:
    return getattr(parameter, "help", None) or ""
