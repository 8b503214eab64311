"""What claims state, in ``relations.json``: relations of each sign, and how large their sides are.

A verdict says of trials that held no more than the smallest slack: a relation that is weakened,
turned round or left out may leave it as it was.  Tests compare what is kept with what is stated
now.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from farkas.proofs.verdict import Relation

PATH = Path(__file__).with_name("relations.json")

T = TypeVar("T")

RunStatement = dict[str, list[float]]
"""By sign: the number of relations, and the sums of their finite left and right sides."""


def kept() -> dict[str, RunStatement]:
    found: dict[str, RunStatement] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return found


def heard(check: Callable[[], T]) -> tuple[T, RunStatement]:
    """Run a check and tell what it has stated meanwhile."""
    said: RunStatement = {}
    ordinary = Relation.__post_init__

    def listen(relation: Relation) -> None:
        ordinary(relation)
        of_sign = said.setdefault(relation.sign, [0, 0.0, 0.0])
        of_sign[0] += 1
        for at, side in enumerate((relation.left, relation.right), 1):
            of_sign[at] += float(side) if math.isfinite(side) else 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Relation, "__post_init__", listen)
        found = check()
    return found, said


def differences(name: str, now: RunStatement) -> list[str]:
    """Signs of which a claim states other relations than it did; floats differ from CPU to CPU."""
    before = kept().get(name, {})
    return [
        f"stated with {sign}: {before.get(sign)} -> {now.get(sign)}"
        for sign in sorted(before.keys() | now.keys())
        if not _near(before.get(sign), now.get(sign))
    ]


def _near(before: list[float] | None, now: list[float] | None) -> bool:
    if before is None or now is None or before[0] != now[0]:
        return False
    size = 1e-6 * before[0]
    pairs = zip(before[1:], now[1:], strict=True)
    return all(math.isclose(a, b, rel_tol=1e-4, abs_tol=size) for a, b in pairs)


def write(name: str, said: RunStatement | None) -> None:
    """Keep what a claim states; nothing of a claim that is gone."""
    entries: dict[str, Any] = kept()
    entries.pop(name, None)
    if said:
        entries[name] = {
            sign: [numbers[0], *(float(f"{n:.9g}") for n in numbers[1:])]
            for sign, numbers in sorted(said.items())
        }
    PATH.write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n")
