"""Typed errors, and checks of arguments that raise them.

Every message is one line: what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Self

from farkas.messages import shown


class Exit(enum.IntEnum):
    """How a command ends: what the process returns to the shell."""

    DONE = 0
    NEGATIVE = 1  #: Mismatch, rejected certificate, refuted claim, infeasible program, failed task.
    BAD_INPUT = 2
    NO_ANSWER = 3  #: Solver missing, or a limit reached without a point.
    INTERNAL_ERROR = 70  #: EX_SOFTWARE of BSD's sysexits.
    INTERRUPTED = 130  #: 128 and the number of SIGINT, as shells report it.
    BROKEN_PIPE = 141  #: 128 and the number of SIGPIPE.


class FarkasError(Exception):
    """Base of every error that farkas raises on purpose; the command line returns its exit code."""

    exit_code = Exit.BAD_INPUT

    def __str__(self) -> str:
        """One printable line, whatever names and numbers the message repeats."""
        from farkas.messages import one_line  # here: most of what is done is not refused

        return one_line(super().__str__())

    @classmethod
    def near(cls, message: str, name: str, known: Iterable[str]) -> Self:
        """Build an error about a name, with the nearest known names as suggestion."""
        from farkas.messages.refusals import suggestion  # here: names are seldom wrong

        return cls(f"{message}{suggestion(name, known)}")


class InvalidInstance(FarkasError):
    """An instance breaks a rule of its kind; the message names the JSON path and the rule."""


class InvalidOption(FarkasError):
    """An option has an unknown name or an impossible value."""


class MissingInstance(InvalidOption):
    """What is checked is about an instance, and none was given."""


class FileProblem(FarkasError):
    """A file cannot be read or written, or holds something else than promised."""


class OutsideKindProblem(FarkasError):
    """A kind that another distribution brings cannot be used; the message names its package."""


class PolicyProblem(FarkasError):
    """A policy of somebody else fails; the message names the policy, the step and the cause."""


class UnknownName(FarkasError):
    """A program, algorithm, solver, key or claim of that name does not exist."""

    @classmethod
    def of(cls, what: str, name: str, known: Iterable[str]) -> UnknownName:
        """Build the message, with the nearest known names as suggestion."""
        from farkas.messages import shown

        return cls.near(f"unknown {what} {shown(name)}", name, known)


class RuleError(FarkasError):
    """A rule of a program cannot be traced; names program, family and, where known, the index."""


class UnsupportedForm(FarkasError):
    """A transformation or solver does not accept this kind of program."""


class SolverUnavailable(FarkasError):
    """A solver is missing, unlicensed, or its licence is too small for the program."""

    exit_code = Exit.NO_ANSWER


class NoAnswer(FarkasError):
    """A value was asked of an answer that does not hold it (no point, no duals, no bound)."""

    exit_code = Exit.NO_ANSWER


class NotACertificate(FarkasError):
    """Multipliers, a ray or a certificate file prove nothing, or less than they claim."""

    exit_code = Exit.NEGATIVE


class NoVerdict(FarkasError):
    """The check of a claim says neither that it is so nor that it is not."""

    exit_code = Exit.NEGATIVE

    def __str__(self) -> str:
        return f"no verdict: {super().__str__()}"


class NotApplicable(FarkasError):
    """A quantity is not defined for this instance (for example too large to enumerate)."""


def require_type(value: object, expected: type | tuple[type, ...], what: str) -> None:
    """Raise `InvalidOption` unless ``value`` is of a type; truth values are no numbers.

    >>> require_type("x", int, "seed")
    Traceback (most recent call last):
    ...
    farkas.errors.InvalidOption: seed cannot be 'x': give int, not str
    """
    types = expected if isinstance(expected, tuple) else (expected,)
    if isinstance(value, types) and not (isinstance(value, bool) and bool not in types):
        return
    names = " or ".join(one.__name__ for one in types)
    raise wrong_type(value, names, what)


def wrong_type(value: object, wanted: str, what: str) -> InvalidOption:
    """Error about a value of a wrong type."""
    given = f"{shown(value, 40)}: give {wanted}, not {type(value).__name__}"
    return InvalidOption(f"{what} cannot be {given}")


def require_progress(progress: object) -> None:
    """Raise `InvalidOption` unless ``progress`` can be called or is None.

    >>> require_progress(3)
    Traceback (most recent call last):
    ...
    farkas.errors.InvalidOption: progress cannot be 3: give a function or None, not int
    """
    if progress is not None and not callable(progress):
        raise wrong_type(progress, "a function or None", "progress")


def require_share(value: object, what: str) -> None:
    """Raise `InvalidOption` unless ``value`` is a number in [0, 1).

    >>> require_share(1, "gap")
    Traceback (most recent call last):
    ...
    farkas.errors.InvalidOption: gap = 1; give a share, 0 or more and below 1
    """
    require_type(value, (int, float), what)
    if isinstance(value, int | float) and not 0 <= value < 1:
        raise InvalidOption(f"{what} = {shown(value, 40)}; give a share, 0 or more and below 1")


#: Far more than a random generator can tell apart, and few enough for a line of text.
MOST_SEED_BITS = 1024


def require_seed(seed: object) -> None:
    """Raise `InvalidOption` unless ``seed`` is an integer that random generators accept.

    >>> require_seed(-3)
    Traceback (most recent call last):
    ...
    farkas.errors.InvalidOption: seed = -3; give an integer >= 0
    """
    require_type(seed, int, "seed")
    if isinstance(seed, int) and seed.bit_length() > MOST_SEED_BITS:
        raise InvalidOption(f"seed has {seed.bit_length()} bits; {MOST_SEED_BITS} are the most")
    if isinstance(seed, int) and seed < 0:
        raise InvalidOption(f"seed = {seed}; give an integer >= 0")
