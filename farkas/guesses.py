"""What people call things elsewhere, for whoever asks for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from farkas.suggestions import suggestion

VERBS = {
    "bound": "farkas.optimum, or farkas.solve(..., certify=True)",
    "certify": "farkas.prove, or farkas.solve(..., certify=True)",
    "demo": "the command farkas demo",
    "doctor": "the command farkas doctor",
    "explain": "farkas.solve, whose solution has an explanation",
    "figure": "the command farkas figure",
    "from_cvxpy": "farkas.prove and farkas.solve, which take the problem",
    "from_gurobipy": "farkas.prove and farkas.solve, which take the model",
    "from_pyomo": "farkas.prove and farkas.solve, which take the model",
    "maximize": "farkas.solve, or farkas.prove",
    "minimize": "farkas.solve, or farkas.prove",
    "open": "farkas.load",
    "optimize": "farkas.solve, or farkas.optimum",
    "read": "farkas.load",
    "report": "the commands farkas sweep and farkas report",
    "simulate": "farkas.run",
    "sources": "farkas.show",
    "sweep": "the command farkas sweep",
    "validate": "farkas.check",
    "verify": "farkas.check",
    "write": "farkas.save",
}
"""What does it here, by the name that people try."""

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
"""The same of commands."""


def no_attribute(name: str, known: Iterable[str]) -> AttributeError:
    """Build the error about an attribute that the package does not have.

    >>> print(no_attribute("read", ["load"]))
    module 'farkas' has no attribute 'read'; use farkas.load
    >>> print(no_attribute("solv", ["load", "solve"]))
    module 'farkas' has no attribute 'solv'; did you mean solve?
    """
    # tools ask for private names, and read no hint
    hint = "" if name.startswith("_") else _hint(name, known, VERBS)
    return AttributeError(f"module 'farkas' has no attribute {name!r}{hint}")


def no_command(name: str, known: Iterable[str]) -> str:
    """Say that there is no such command.

    >>> no_command("verify", ["check"])
    "no command 'verify'; use farkas check"
    """
    prefixed = {word: f"farkas {does}" for word, does in COMMANDS.items()}
    return f"no command {name!r}{_hint(name, known, prefixed)}"


def _hint(name: str, known: Iterable[str], elsewhere: dict[str, str]) -> str:
    return f"; use {elsewhere[name]}" if name in elsewhere else suggestion(name, known)
