"""The search: both sides only ever get better, and what is left at any end is proved."""

from __future__ import annotations

import dataclasses
import itertools
import math
import signal
import time
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.node_bounds import Deadline
from farkas.offline import Candidate, SearchState, find_optimum, searches
from farkas.offline import methods as module
from farkas.offline.methods import integer_program
from farkas.offline.search import policies
from farkas.online.run import Bound

DEMOS = ["mlbroker/demo", "eris/demo", "dps/demo", "gadget/demo", "coded/demo"]


def search(name, *methods):
    return dataclasses.replace(searches[name], methods=methods)


def candidates(*found):
    return lambda instance, state: iter(found)


@pytest.fixture(scope="module")
def market():
    return farkas.load("dps/demo")


def greedy(market):
    """Decisions of dps.simple, then a bound."""
    (both,) = policies("dps.simple")(market, ascent_without_limits())
    return Candidate("dps.simple", both.decisions), Candidate(both.bound.method, bound=both.bound)


def ascent_without_limits():
    from farkas.exact.node_bounds import Deadline
    from farkas.offline import SearchState

    return SearchState("max", Deadline(), Fraction(0))


def first_bound(market):
    return farkas.run(market, "dps.top").certificate.fraction


@pytest.mark.slow
@pytest.mark.parametrize("name", DEMOS)
def test_sides_only_get_better_and_check_proves_the_run_again(name):
    steps = []
    found = find_optimum(
        farkas.load(name), searches[f"{name[:-5]}.optimum"], gap=Fraction(0), time_limit=5.0,
        progress=steps.append,
    )  # fmt: skip
    assert tuple(steps) == found.steps
    sign = 1 if found.sense == "max" else -1
    for before, after in itertools.pairwise(steps):
        assert before.value is None or sign * after.value >= sign * before.value
        assert before.bound is None or sign * after.bound <= sign * before.bound
        assert (before.value, before.bound) != (after.value, after.bound)
    assert (found.value, found.bound) == (steps[-1].value, steps[-1].bound)
    again = farkas.check(found.run, name)
    assert again.value == found.value
    assert again.proof.bound == found.bound
    assert sign * found.value <= sign * found.bound


def test_a_bound_that_does_not_hold_for_such_runs_is_left_out(market):
    first, bound = greedy(market)
    other = dict(bound.bound.certificate, program="dps.offline_lp")
    wrong = dataclasses.replace(bound, bound=Bound.of(1, "forged", other))
    nameless = dataclasses.replace(bound, bound=Bound.of(1, "word", None))
    found = find_optimum(
        market, search("dps.optimum", candidates(first, wrong, nameless)), gap=Fraction(0)
    )
    assert found.bound == first_bound(market)  # what every run of the kind ends with
    assert not found.complete
    assert [step.bound for step in found.steps] == [None]


def test_a_value_beyond_a_bound_is_refused(market):
    first, bound = greedy(market)
    low = dataclasses.replace(bound, bound=Bound.of(1, "too low", bound.bound.certificate))
    with pytest.raises(NotACertificate, match="bound"):
        find_optimum(market, search("dps.optimum", candidates(first, low)), gap=Fraction(0))


def test_decisions_that_break_something_do_not_count(market):
    first, bound = greedy(market)
    sold = list(first.decisions)
    taken = next(i for i, d in enumerate(sold) if d.outcome == "sold")
    sold[taken] = dataclasses.replace(sold[taken], payment=sold[taken].payment * 1000)
    with pytest.raises(NoAnswer, match="found no decisions"):
        find_optimum(
            market,
            search("dps.optimum", candidates(dataclasses.replace(first, decisions=sold), bound)),
            gap=Fraction(0),
        )


def test_a_climber_without_an_answer_leaves_the_rest_to_the_next(market):
    def fails(instance, state):
        raise NoAnswer("nothing here")
        yield

    found = find_optimum(
        market, search("dps.optimum", fails, candidates(*greedy(market))), gap=Fraction(0)
    )
    assert found.remarks == ("nothing here",)
    assert found.value > 0


def test_the_gap_ends_the_search(market):
    def never(instance, state):
        raise AssertionError("the gap was reached before")
        yield

    found = find_optimum(
        market, search("dps.optimum", candidates(*greedy(market)), never), gap=Fraction(99, 100)
    )
    assert found.complete
    assert Fraction(found.gap) <= Fraction(99, 100)
    assert 0 < found.run.timings["policy"] <= found.seconds


def test_the_time_limit_ends_the_search(market):
    def slow(instance, state):
        while True:
            state.deadline.check()
            time.sleep(0.01)
            yield Candidate("nothing")

    found = find_optimum(
        market,
        search("dps.optimum", candidates(*greedy(market)), slow),
        gap=Fraction(0),
        time_limit=0.5,
    )
    assert not found.complete
    assert not found.interrupted
    assert found.seconds >= 0.5


def test_ctrl_c_keeps_the_best_of_both(market):
    def pressed(instance, state):
        signal.raise_signal(signal.SIGINT)
        state.deadline.check()
        yield Candidate("nothing")

    found = find_optimum(
        market, search("dps.optimum", candidates(*greedy(market)), pressed), gap=Fraction(0)
    )
    assert found.interrupted
    assert found.bound is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_further_ctrl_c_lose_nothing(market, monkeypatch):
    def pressed(instance, state):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        state.deadline.check()
        yield Candidate("nothing")

    chosen = search("dps.optimum", candidates(*greedy(market)), pressed)
    proved = chosen.run

    def pressed_again(self, *given):
        signal.raise_signal(signal.SIGINT)
        return proved(*given)

    monkeypatch.setattr(type(chosen), "run", pressed_again)
    found = find_optimum(market, chosen, gap=Fraction(0))
    assert found.interrupted
    assert found.run.verify(market).value == found.run.reached


def test_ctrl_c_before_any_decisions_is_no_failed_search(market):
    def pressed(instance, state):
        signal.raise_signal(signal.SIGINT)
        state.deadline.check()
        yield Candidate("nothing")

    with pytest.raises(KeyboardInterrupt):
        find_optimum(market, search("dps.optimum", pressed), gap=Fraction(0))
    with pytest.raises(NoAnswer, match="found no decisions"):
        find_optimum(
            market, search("dps.optimum", candidates(Candidate("nothing"))), gap=Fraction(0)
        )


@pytest.mark.slow
def test_plain_data_round_to_the_proved_side(market):
    found = farkas.optimum(market)
    plain = found.to_builtins()
    assert Fraction(plain["value_exact"]) == found.value
    assert Fraction(plain["bound_exact"]) == found.bound
    assert Fraction(plain["value"]) <= found.value
    assert Fraction(plain["bound"]) >= found.bound
    share = (found.bound - found.value) / found.bound
    assert Fraction(plain["gap"]) >= share
    assert plain["gap"] == pytest.approx(float(share))
    assert plain["method"][0] == "dps.simple"


NAMES = ["mlbroker.fractional", "mlbroker.opt", "eris.tiresias", "dps.bfp_coord", "gadget.las"]


def state(seconds=60.0):
    return SearchState("min", Deadline(seconds), Fraction(0))


@pytest.mark.parametrize("name", NAMES)
def test_a_rung_is_what_the_run_is(name):
    kind = name.partition(".")[0]
    instance = farkas.load(f"{kind}/tiny" if kind == "mlbroker" else f"{kind}/demo")
    (found,) = policies(name)(instance, state())
    run = farkas.run(instance, name)
    assert found.bound == run.certificate
    if name != "mlbroker.fractional":  # whose decisions are no placements
        assert searches[f"{kind}.optimum"].run(instance, found.decisions).value == run.value


def test_after_the_deadline_an_algorithm_begins_only_where_nothing_is_decided():
    market, late = farkas.load("dps/demo"), state(0.0)
    method = policies("dps.simple", "dps.bfp_coord")(market, late)
    first = next(method)
    late.run = searches["dps.optimum"].run(market, first.decisions)
    assert list(method) == []


def ascent_at(sense, value=None, bound=None, gap=0):
    found = SearchState(sense, Deadline(), Fraction(gap))
    if value is not None:
        found.run = SimpleNamespace(reached=Fraction(value))
    if bound is not None:
        found.bound = Bound.of(Fraction(bound), "given")
    return found


def test_a_bound_whose_proof_is_too_long_is_told(monkeypatch):
    def refused(*_):
        raise NotACertificate("cases: a proof would take too long")

    monkeypatch.setattr("farkas.decomposition.protocol.Pricing.certificate", refused)
    found = farkas.optimum("eris/tiny", gap=0.0)
    assert "prices: cases: a proof would take too long" in found.remarks


@pytest.mark.parametrize("name", ["mlbroker/tiny", "eris/demo", "dps/demo", "gadget/demo"])
def test_any_limit_has_an_answer(name):
    found = farkas.optimum(name, gap=0, time_limit=1e-9)
    assert not found.interrupted
    assert farkas.check(found.run, farkas.load(name)).proof.bound == found.bound


def program_rungs(most_entries=10**6):
    seen = []

    def decide(instance, form, point):
        seen.append(form.cost @ point + form.offset)
        assert np.array_equal(point[form.integer], np.rint(point[form.integer]))
        return ["decisions"]

    method = integer_program("dps.offline[free]", decide, most_entries)
    found = list(method(farkas.load("dps/demo"), SearchState("max", Deadline(60.0), Fraction(0))))
    return found, seen


def test_large_programs_are_left_to_others():
    with pytest.raises(NoAnswer, match=r"dps\.offline\[free\] has \d+ entries, more than 10"):
        program_rungs(10)


def test_the_solver_leaves_time_for_the_proof(monkeypatch):
    monkeypatch.setattr("farkas.exact.node_bounds.clock", lambda: 0.0)  # no time passes
    limits = {}

    def limited(name, answer):
        def instead(form, *, time_limit=math.inf, **named):
            limits[name] = time_limit
            return answer

        monkeypatch.setattr(module, name, instead)

    limited("solve", SimpleNamespace(has_point=False))
    limited("prove_form", SimpleNamespace(point=None, bound=None, certificate=None))
    method = integer_program("dps.offline[free]", None, 10**6, share=0.5)
    assert not list(
        method(farkas.load("dps/demo"), SearchState("max", Deadline(60.0), Fraction(0)))
    )
    assert limits["prove_form"] == 30.0  # half of what is left is all that both may take
    assert 0 < limits["solve"] <= 15.0
    limited("prove_form", SimpleNamespace(point=[Fraction(1, 2)], bound=None, certificate=None))
    method = integer_program("dps.offline[free]", lambda *given: given[2].tolist(), 10**6)
    (proved,) = method(farkas.load("dps/demo"), SearchState("max", Deadline(60.0), Fraction(0)))
    assert proved.decisions == [0.5]


@pytest.mark.parametrize(("sense", "better", "worse"), [("min", 9, 11), ("max", 11, 9)])
def test_better_values_and_tighter_bounds(sense, better, worse):
    found = ascent_at(sense, 10, 10)
    assert found.better_value(better)
    assert not found.better_value(worse)
    assert not found.better_value(10)
    assert found.better_bound(Fraction(worse))
    assert not found.better_bound(Fraction(better))
    assert not found.better_bound(Fraction(10))
    assert ascent_at(sense).better_value(worse)
    assert ascent_at(sense).better_bound(Fraction(better))
