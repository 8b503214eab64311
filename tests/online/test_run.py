"""Bounds and run files."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import farkas
from farkas.errors import FileProblem
from farkas.online import Bound, read_run, write_run
from farkas.online.run import from_builtins


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


def test_plain_data_of_a_store_are_a_run_or_a_problem() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    plain = msgspec.json.decode(msgspec.json.encode(run))
    assert from_builtins(plain) == run
    for broken in (None, {}, {**plain, "more": 1}, {**plain, "value": "much"}):
        with pytest.raises(FileProblem, match="is no run"):
            from_builtins(broken)


def test_runs_are_the_same_where_their_content_is() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    same = msgspec.structs.replace(run, timings={"policy": 9.0})
    assert run == same
    assert not run != same  # noqa: SIM202 - the operator itself
    for changes in ({"value": 0.0}, {"value": 1e9}, {"remarks": ["a"]}, {"sense": "max"}):
        other = msgspec.structs.replace(run, **changes)
        assert (run == other, other == run, run != other, other != run) == (
            False, False, True, True,
        )  # fmt: skip


def test_values_and_costs_that_are_no_numbers_come_back(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    run.value, run.costs = math.nan, [{"price": math.nan, "fee": 2.0}]
    path = tmp_path / "run.json"
    write_run(run, path)
    back = read_run(path)
    assert math.isnan(back.value)
    assert math.isnan(back.costs[0]["price"])
    assert back.costs[0]["fee"] == 2.0


BOUNDS = st.fractions() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction)


@given(BOUNDS, st.sampled_from(["min", "max"]))
def test_words_and_double_of_a_bound_claim_no_more_than_it(exact: Fraction, sense: Any) -> None:
    bound = Bound.of(exact, "test")
    for said in (Fraction(bound.words(sense)), Fraction(bound.double(sense) or exact)):
        assert said <= exact if sense == "min" else said >= exact
        assert abs(said - exact) <= abs(exact) / 10**8 + Fraction(math.ulp(0.0))


def test_a_bound_beyond_all_doubles_has_words_but_no_double() -> None:
    bound = Bound.of(10**400 + 1, "test")
    assert (bound.words("min"), bound.words("max")) == ("1E+400", "1.00000001E+400")
    assert bound.double("max") is None


def test_a_run_tells_bound_and_ratio_on_their_proved_side() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    run.certificate = Bound.of(Fraction(2, 3), "test")
    run.ratio = 2 / 3 + 1
    assert "proved bound 0.666666666, certified ratio 1.66667>" in repr(run)
    run.sense = "max"
    assert "proved bound 0.666666667, certified ratio 1.66667>" in repr(run)
    run.ratio = 1.6666611
    assert repr(run).endswith("certified ratio 1.66667>")
    run.certificate = run.ratio = None
    assert repr(run).endswith("proved bound none, certified ratio none>")
