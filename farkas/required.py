"""What arguments must be: of a type, seeds, functions of progress."""

from __future__ import annotations

from farkas.errors import InvalidOption
from farkas.refusals import shown


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
