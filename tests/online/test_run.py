"""Ratios and run files."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.errors import FileProblem, NotACertificate
from farkas.online import Bound, certified_ratio, read_run
from farkas.online.run import from_builtins, rounded_up


@pytest.mark.parametrize(
    ("sense", "value", "bound", "ratio"),
    [
        ("min", 12, 8, 1.5),
        ("max", 8, 12, 1.5),
        ("min", 0, 0, 1.0),  # nothing to pay and nothing paid
        ("max", 0, 0, 1.0),  # nothing to earn and nothing earned
        ("min", 3, 0, None),  # any cost is infinitely far from a bound of 0
        ("max", 0, 3, None),
        ("min", 1, -1, None),
        ("max", -2, 5, None),
        ("min", math.nan, 1, None),
        ("min", math.inf, 1, None),
        ("min", 1 - 1e-9, 1, 1.0),  # float sums of value and bound differ in the last digits
        ("max", 1 + 1e-9, 1, 1.0),
    ],
)
def test_certified_ratio(sense: str, value: float, bound: int, ratio: float | None) -> None:
    assert certified_ratio(sense, value, Bound.of(bound, "test")) == ratio  # type: ignore[arg-type]


def test_without_bound_there_is_no_ratio() -> None:
    assert certified_ratio("min", 1.0, None) is None


@pytest.mark.parametrize(("sense", "value"), [("min", 0.9), ("max", 1.1)])
def test_a_bound_that_a_run_beats_is_wrong(sense: str, value: float) -> None:
    with pytest.raises(NotACertificate, match="wrong"):
        certified_ratio(sense, value, Bound.of(1, "test"))  # type: ignore[arg-type]


def test_a_bound_keeps_its_exact_value() -> None:
    third = Bound.of(Fraction(1, 3), "test")
    assert third.exact == "1/3"
    assert third.fraction * 3 == 1
    assert float(third) == 1 / 3


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "null", '{"farkas": 1}', '{"algorithm": 3}', "\xff", "{" * 100]
)
def test_a_file_that_is_no_run_is_one_clear_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(FileProblem, match="is no run file"):
        read_run(path)


def test_a_missing_run_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no such file"):
        read_run(tmp_path / "none.json")


@pytest.mark.parametrize("ratio", [Fraction(4, 3), Fraction(3, 2), Fraction(10**20 + 1, 10**20)])
def test_a_ratio_is_rounded_up(ratio: Fraction) -> None:
    above = rounded_up(ratio)
    assert above is not None
    assert Fraction(math.nextafter(above, 0)) < ratio <= Fraction(above)


@pytest.mark.parametrize("ratio", [Fraction(10**400), Fraction(math.nextafter(math.inf, 0)) + 1])
def test_a_ratio_beyond_all_doubles_is_none(ratio: Fraction) -> None:
    assert rounded_up(ratio) is None


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_bound_may_be_beaten_by_a_share_only(unit: float) -> None:
    # amounts of a billionth are no closer to each other than amounts of one
    with pytest.raises(NotACertificate):
        certified_ratio("max", unit, Bound.of(Fraction(unit) / 1000, "test"))


def test_plain_data_of_a_store_are_a_run_or_a_problem() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    plain = msgspec.json.decode(msgspec.json.encode(run))
    assert from_builtins(plain) == run
    for broken in (None, {}, {**plain, "more": 1}, {**plain, "value": "much"}):
        with pytest.raises(FileProblem, match="is no run"):
            from_builtins(broken)


@pytest.mark.parametrize(("sense", "sign"), [("min", -1), ("max", 1)])
def test_a_bound_may_be_beaten_by_a_millionth_and_no_more(sense: str, sign: int) -> None:
    bound = Bound.of(1, "test")
    assert certified_ratio(sense, 1 + sign * 5e-7, bound) == 1.0  # type: ignore[arg-type]
    with pytest.raises(NotACertificate):
        certified_ratio(sense, 1 + sign * 2e-6, bound)  # type: ignore[arg-type]
