"""Figures: which floors are met, and what got worse since they were kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.shared import ROOT

CODE = """
from pathlib import Path
from benchmarks import measure
from benchmarks.measure import Figure, Figures, read
measure.RESULTS = Path({folder!r})
figures = Figures("some")
for what, value, floors in {figures!r}:
    figures.add(what, value, "x", **floors)
path = figures.keep()
print(path.relative_to(measure.RESULTS).parts[1:], read(path) == figures.figures)
"""


def printed(folder: Path, *figures: tuple[str, float, dict[str, Any]]) -> list[str]:
    """What a process says that keeps figures; machine code is not asked for in this one."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(folder=str(folder), figures=figures)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    *lines, last = done.stdout.splitlines()
    assert last == "('some.json',) True"
    return [" ".join(line.split()) for line in lines]


def test_floors_are_told_as_met_or_missed(tmp_path: Path) -> None:
    said = printed(
        tmp_path,
        ("a", 1.0, {"most": 1.0}),
        ("b", 1.1, {"most": 1.0}),
        ("c", 2.0, {"least": 2.0}),
        ("d", 1.9, {"least": 2.0}),
        ("e", 9.0, {}),
    )
    assert said == [
        "a 1 x floor: at most 1",
        "b 1.1 x floor: at most 1, MISSED",
        "c 2 x floor: at least 2",
        "d 1.9 x floor: at least 2, MISSED",
        "e 9 x",
    ]


@pytest.mark.parametrize(
    ("before", "now", "floors", "told"),
    [
        (1.0, 1.2, {"most": 9.0}, ""),
        (1.0, 1.21, {"most": 9.0}, "worse: a: 1.21 x, was 1 (1.21 times)"),
        (1.0, 1.5, {}, "worse: a: 1.5 x, was 1 (1.50 times)"),
        (1.0, 0.2, {}, ""),
        (1.0, 0.5, {"least": 0.1}, "worse: a: 0.5 x, was 1 (2.00 times)"),
        (1.0, 3.0, {"least": 0.1}, ""),
        (0.0, 1.0, {}, ""),
    ],
)
def test_what_got_worse_by_more_than_a_fifth_is_said(
    before: float, now: float, floors: dict[str, float], told: str, tmp_path: Path
) -> None:
    printed(tmp_path, ("a", before, floors))
    said = printed(tmp_path, ("a", now, floors), ("new", 5.0, {}))
    assert said[2:] == ([told] if told else [])
    # what is kept is what was measured last
    assert printed(tmp_path, ("a", now, floors), ("new", 5.0, {}))[2:] == []
