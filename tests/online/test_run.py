"""Bounds and run files."""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from fractions import Fraction as F
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

import farkas
from farkas.errors import FileProblem, NotACertificate
from farkas.forms import Sense
from farkas.online import Bound, Run, read_run, write_run
from farkas.online.driver import SOLVER_PACKAGES, installed, manifest, plain
from farkas.online.run import from_builtins, prove_value, ratio_to, words_on
from farkas.replay import Replay, Requirements, RunDecisions, replays


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


@pytest.mark.parametrize(("ratio", "said"), [(1 + 1e-8, "16.8"), (1 + 1.1e-8, "16.7999999")])
def test_digits_of_value_and_bound_are_the_same_where_it_is_optimal(
    ratio: float, said: str
) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.opt")
    run.certificate, run.ratio = Bound.of(Fraction("16.8") - Fraction(1, 10**12), "test"), ratio
    assert f"value 16.8, proved bound {said}, " in repr(run)


def test_decisions_of_arrays_and_fractions_become_plain() -> None:
    kept = {1: np.arange(3), "x": (np.float64(0.5), Fraction(1, 3)), "y": MappingProxyType({})}
    assert plain(kept) == {"1": [0, 1, 2], "x": (0.5, "1/3"), "y": {}}
    with pytest.raises(TypeError, match="a decision holds a complex"):
        plain([1j])


def test_a_manifest_says_what_a_run_depends_on() -> None:
    instance = farkas.load("mlbroker/tiny")
    found = manifest(instance, 7)
    assert (found.seed, found.instance_sha256) == (7, instance.sha256)
    assert (found.numpy, found.solvers) == (np.__version__, dict(installed()))
    there = {one for one in SOLVER_PACKAGES if importlib.util.find_spec(one) is not None}
    assert {"highspy", "numba", "scipy"} <= set(found.solvers) == there
    assert found.solvers["scipy"] == scipy.__version__


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of a kind without a replay, and nothing proved about its value yet."""
    replays.load()
    monkeypatch.setattr(replays, "_items", {**replays._items, "mlbroker": lambda *_: None})
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    return msgspec.structs.replace(
        run, value=1 / 3, value_exact=None, ratio=None, certificate=Bound.of(F(1, 7), "test")
    )


def worth(monkeypatch: pytest.MonkeyPatch, value: F, excess: F = F(0)) -> None:
    def rule(instance: object, run: RunDecisions) -> Replay:
        kept = Requirements()
        kept.excess = excess
        return Replay.of(value, kept)

    monkeypatch.setitem(replays._items, "mlbroker", rule)


def test_value_and_ratio_are_those_of_exact_numbers(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    worth(monkeypatch, F(1, 3))
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert run.value_exact == "1/3"
    assert run.reached == F(1, 3)
    # 7/3 is no double: the ratio is the next one above
    assert F(run.ratio) > F(7, 3) > F(run.ratio) - F(1, 2**50)


def test_a_run_that_breaks_something_proves_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    worth(monkeypatch, F(1, 3), excess=F(1, 10**10))
    run.violations.append("all of it")
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert (run.value_exact, run.ratio) == (None, None)


def test_without_a_replay_the_ratio_rests_on_the_environment(run: Run) -> None:
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert run.value_exact is None
    assert run.reached == 1 / 3
    assert run.ratio == pytest.approx(7 / 3)


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("excess", [F(0), F(1, 10**10)])
@pytest.mark.parametrize("better", [-F(1, 10**8), F(0), F(1, 10**8)])
def test_only_what_exceeds_something_is_better_than_a_bound(
    run: Run, monkeypatch: pytest.MonkeyPatch, sense: Sense, excess: F, better: F
) -> None:
    # a cost of 1/3 is better than a bound above it, a reward better than one below
    worth(monkeypatch, F(1, 3), excess)
    run.sense, run.value_exact = sense, "1/3"
    tiny, way = farkas.load("mlbroker/tiny"), 1 if sense == "min" else -1
    bound = Bound.of(F(1, 3) * (1 + way * better), "test")
    kept = Requirements()
    kept.excess = excess
    words = words_on(Replay.of(F(1, 3), kept), sense, bound.fraction)
    assert [said[:29] for said in words] == ["better than the proved bound,"] * (better > 0)
    if better > 0 and not excess:
        with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
            ratio_to(run, tiny, bound)
        return
    # above 1 by the distance, rounded up; 1 where the value is better
    ratio = ratio_to(run, tiny, bound)
    assert ratio == 1.0 if better >= 0 else ratio == pytest.approx(1 + 1e-8, rel=1e-12)


def test_an_exact_value_that_nothing_replays_is_taken_to_keep_everything(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.value_exact = "1/3"
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        ratio_to(run, farkas.load("mlbroker/tiny"), Bound.of(F(1, 2), "test"))


def test_there_are_no_words_without_a_bound_or_on_what_is_broken() -> None:
    worth_little, broken = Replay.of(F(1, 3)), Requirements()
    broken.broken.append("all of it")
    assert words_on(worth_little, "min", None) == []
    assert words_on(Replay.of(F(1, 3), broken), "min", F(1)) == []
    assert words_on(Replay.of(F(1, 3), broken), "max", F(0)) == []


def test_no_bound_no_ratio(run: Run) -> None:
    tiny = farkas.load("mlbroker/tiny")
    assert ratio_to(run, tiny, None) is None
    assert ratio_to(run, tiny, Bound.of(F(1, 10**400), "test")) is None


def test_a_bound_of_another_run_is_met_as_exactly_as_its_own(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = farkas.load("mlbroker/tiny")
    beaten = Bound.of(F(1, 3) * (1 + F(1, 10**8)), "another run")
    assert ratio_to(run, tiny, beaten) == 1.0  # rounded sums may seem better
    worth(monkeypatch, F(1, 3), excess=F(1, 10**10))
    prove_value(run, tiny)
    assert ratio_to(run, tiny, beaten) == 1.0  # as may what misses a requirement by a little
    worth(monkeypatch, F(1, 3))
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        ratio_to(run, tiny, beaten)
    run.violations.append("all of it")
    assert ratio_to(run, tiny, beaten) is None
