"""Figures: which floors are met, and what got worse since they were kept."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import farkas.kernels


@pytest.fixture
def printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """What is said where figures are kept."""
    measure = measuring()
    monkeypatch.setattr(measure, "RESULTS", tmp_path)

    def said(*figures: tuple[str, float, dict[str, Any]]) -> list[str]:
        kept = measure.Figures("some")
        for what, value, floors in figures:
            kept.add(what, value, "x", **floors)
        path = kept.keep()
        assert path.name == "some.json"
        assert measure.read(path) == kept.figures
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return said


def measuring() -> ModuleType:
    """The module, which asks for machine code whatever it is imported by; that is taken back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(farkas.kernels, "STEPS_INTERPRETED", farkas.kernels.STEPS_INTERPRETED)
        from benchmarks import measure
    return measure


def test_floors_are_told_as_met_or_missed(printed: Any) -> None:
    said = printed(
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


@pytest.mark.ids(1)
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
    before: float, now: float, floors: dict[str, float], told: str, printed: Any
) -> None:
    printed(("a", before, floors))
    said = printed(("a", now, floors), ("new", 5.0, {}))
    assert said[2:] == ([told] if told else [])
    # what is kept is what was measured last
    assert printed(("a", now, floors), ("new", 5.0, {}))[2:] == []
