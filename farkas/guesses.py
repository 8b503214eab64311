"""What people call things elsewhere, for whoever asks for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from farkas.messages import suggestion

#: What does it here, by the name that people try.
COMMANDS = {
    "bound": "optimum, or solve --certify",
    "certify": "prove, or solve --certify",
    "explain": "solve, which explains infeasible programs",
    "load": "show",
    "read": "show",
    "replay": "check",
    "save": "solve --write, run -o",
    "simulate": "run",
    "validate": "check",
    "verify": "check",
}


def no_command(name: str, known: Iterable[str]) -> str:
    """Say that there is no such command.

    >>> no_command("verify", ["check"])
    "no command 'verify'; use farkas check"
    """
    hint = f"; use farkas {COMMANDS[name]}" if name in COMMANDS else suggestion(name, known)
    return f"no command {name!r}{hint}"
