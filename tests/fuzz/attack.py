"""What every attack shares: extreme numbers, changed records, and the checker's own word."""

from __future__ import annotations

import atexit
import functools
import json
import os
import random
import struct
import tempfile
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from farkas.certificates.encoding import deflate
from farkas.errors import FarkasError

Outcome = str
"""``accepted`` or ``refused``."""

Attack = Callable[[random.Random], Outcome]
"""One case; the same generator makes the same case."""

EDGES = [
    0.0, 5e-324, 2.0**-1022, 1e-300, 1e-16, 2.0**-53, 0.1, 0.5, 1.0, 1.5, 3.0, 1e3, 1e9, 2.0**53,
    1e16, 2.0**62, 2.0**63, 2.0**64, 1e100, 1e154, 1e300, 2.0**1023, 1.7976931348623157e308,
]  # fmt: skip


class HoleError(AssertionError):
    """A false bound was accepted, the checkers disagree, or something broke."""


def number(rng: random.Random) -> float:
    """A finite double: an edge, of any magnitude, or small and round."""
    draw = rng.random()
    sign = rng.choice([-1.0, 1.0])
    if draw < 0.25:
        return sign * rng.choice(EDGES)
    if draw < 0.4:
        return sign * (1 + rng.random()) * 2.0 ** rng.randint(-1074, 1022)
    if draw < 0.55:
        return sign * rng.random() * 4
    return float(rng.randint(-4, 4))


@functools.cache
def folder() -> Path:
    """A folder of this process, in memory where that is possible, which goes with it."""
    memory = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(
        prefix="farkas-fuzz-", dir=memory if os.access(memory, os.W_OK) else None
    )
    atexit.register(made.cleanup)
    return Path(made.name)


def any_double(rng: random.Random) -> float:
    """As `number`, and now and then infinite or none."""
    special = [float("inf"), float("-inf"), float("nan")]
    return rng.choice(special) if rng.random() < 0.05 else number(rng)


def verdict(prove: Callable[[], Any], content: str | bytes) -> Any:
    """What a checker proves, None where it refuses; anything but a typed refusal is a hole."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return prove()
        except FarkasError as refusal:
            words = str(refusal)
            if "\n" in words or "\x1b" in words:
                raise HoleError(f"the message is no line: {words!r}\n{content!r}") from None
            return None
        except Exception as error:
            raise HoleError(f"{type(error).__name__}: {error}\n{content!r}") from error


def beyond(rng: random.Random, bound: Fraction, sense: str) -> Fraction:
    """A claim beyond ``bound``, by very little or by much."""
    steps = [
        Fraction(1, 10 ** rng.randint(1, 60)),
        abs(bound) / 2**52,
        abs(bound) / 2 ** rng.randint(1, 200),
        Fraction(1),
        Fraction(2) ** 1100,
    ]
    step = rng.choice([one for one in steps if one])
    return bound + step if sense == "min" else bound - step


def change(rng: random.Random, tree: Any) -> Any:
    """Change one place of a record: a number, a string, a key, an entry."""
    places = list(_places(tree)) if isinstance(tree, dict | list) else []
    if not places:
        return tree
    place, key = rng.choice(places)
    value = place[key]
    draw = rng.random()
    if draw < 0.08:
        del place[key]
    elif draw < 0.14 and isinstance(place, list):
        place.insert(rng.randint(0, len(place)), value)
    elif draw < 0.22 and isinstance(place, list) and len(place) > 1:
        other = rng.randrange(len(place))
        place[key], place[other] = place[other], place[key]
    elif draw < 0.27:
        place[key] = rng.choice([None, True, [], {}, "", "1", 1, -1, 0.5, "a\nb", "\x1b[2K"])
    elif isinstance(value, bool):
        place[key] = not value
    elif isinstance(value, int):
        new = value + rng.choice([-1, 1]) if rng.random() < 0.4 else rng.choice(_INTEGERS)
        place[key] = -value if rng.random() < 0.2 else new
    elif isinstance(value, float):
        place[key] = -value if rng.random() < 0.2 else number(rng)
    elif isinstance(value, str):
        place[key] = _text(rng, value)
    elif isinstance(value, list):
        rng.shuffle(value)
    return tree


_INTEGERS = [
    0,
    1,
    2,
    3,
    2**31 - 1,
    2**31,
    2**52 + 1,
    2**53 + 1,
    2**59,
    2**61,
    2**62,
    2**63,
    10**400,
]


def _places(tree: Any) -> Any:
    keys = tree if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def _text(rng: random.Random, text: str) -> str:
    """Another fraction, or other characters."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        at = rng.randint(0, len(text))
        return text[:at] + rng.choice(["", "A", "\n", "=", "0", "\0", "\ud7ff"]) + text[at + 1 :]
    choices = [value + 1, value - 1, -value, value * 2, value / 3, Fraction(number(rng))]
    return str(rng.choice(choices))


def doubled_key(rng: random.Random, tree: dict[str, Any]) -> bytes:
    """Text of the record in which one key occurs twice, with two values."""
    key = rng.choice(sorted(tree))
    other = rng.choice([tree[key], "0", 0, None])
    return (json.dumps(tree)[:-1] + f", {json.dumps(key)}: {json.dumps(other)}}}").encode()


def packed(values: list[float]) -> str:
    """Doubles as certificates hold them."""
    return deflate(struct.pack(f"<{len(values)}d", *values))
