"""What people call things elsewhere, for whoever asks for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from farkas.messages import suggestion

#: What does it here, by the name that people try.
COMMANDS = {
    "bound": "optimum, or solve --certify",
    "certify": "prove, or solve --certify",
    "doctor": "show install",
    "explain": "solve, which explains infeasible programs",
    "load": "show",
    "page": "check --page OUT.html",
    "plot": "figure FILE",
    "ratios": "sweep STORE --ratios",
    "read": "show",
    "replay": "check",
    "report": "sweep STORE --report OUT.html",
    "save": "solve --write, run -o",
    "simulate": "run",
    "solvers": "show solvers",
    "validate": "check",
    "verify": "check",
    "warm": "show --compile",
}


def no_command(name: str, known: Iterable[str]) -> str:
    """Say that there is no such command.

    >>> no_command("verify", ["check"])
    "no command 'verify'; use farkas check"
    """
    hint = f"; use farkas {COMMANDS[name]}" if name in COMMANDS else suggestion(name, known)
    return f"no command {name!r}{hint}"
