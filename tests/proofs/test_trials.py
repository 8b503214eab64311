"""What many trials say together, and what they are made on."""

import math
import sys

import msgspec
import numpy as np
import pytest
import sympy as sp

from farkas.errors import NoAnswer, UnknownName
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.instances.mlbroker import Brokerage
from farkas.proofs import Standing
from farkas.proofs.said import Stated
from farkas.proofs.trials import (
    Deferred,
    NotProved,
    Trials,
    drawn,
    growth,
    interval,
    optimum,
    require,
    require_zero,
    shipped,
    vanishes,
)
from tests.generators.forms import small


def test_trials_count_runs_and_keep_the_smallest_slack():
    trials = Trials()
    trials.add({"seed": 0}, Stated(1.0, "<=", 1.5), Stated(2.25, ">", 2.0))
    trials.add({"seed": 1}, Stated(0.0, "<", 0.75))
    assert trials.slack == 0.25
    verdict = trials.verdict("twice", share=2.0)
    assert (verdict.standing, verdict.runs, verdict.slack) == (Standing.HELD, 2, 0.25)
    assert (verdict.note, verdict.numbers) == ("twice", {"share": 2.0})


def test_the_first_of_equally_bad_trials_refutes():
    trials = Trials()
    for seed, left in enumerate((0.5, 1.25, 1.25, 1.125)):
        trials.add({"seed": seed}, Stated(0, "<=", 0), Stated(left, "<=", 1))
    verdict = trials.verdict(share=2.0)
    assert (verdict.standing, verdict.counterexample) == (Standing.REFUTED, {"seed": 1})
    assert verdict.fails == (Stated(1.25, "<=", 1),)
    assert verdict.numbers == {"share": 2.0}


def test_a_strict_relation_between_equals_refutes_although_its_slack_is_zero():
    trials = Trials()
    trials.add({"seed": 0}, Stated(1, "<=", 1))
    trials.add({"seed": 1}, Stated(1, "<", 1))
    assert trials.verdict().counterexample == {"seed": 1}


def test_an_instance_that_refutes_is_written_out():
    trials, sample = Trials(), shipped(Auction, "tiny")
    trials.add(sample, Stated(2, "<=", 1))
    assert msgspec.convert(trials.verdict().counterexample, Auction) == sample


def test_a_tolerance_is_said_and_no_part_of_the_slack():
    trials, tolerance = Trials(), 2.0**-20
    trials.add({"seed": 0}, Stated(1 + 2.0**-21, "<=", 1.0, tolerance, size=2.0))
    verdict = trials.verdict()
    assert (verdict.standing, verdict.slack) == (Standing.HELD, -(2.0**-22))
    assert verdict.tolerance == tolerance
    trials.add({"seed": 1}, Stated(1 + 2.0**-18, "<=", 1.0, tolerance, size=2.0))
    assert trials.verdict().counterexample == {"seed": 1}


def test_no_trials_and_trials_without_a_relation_say_nothing():
    assert Trials().slack == math.inf
    with pytest.raises(ValueError, match="held in 0 runs"):
        Trials().verdict()
    with pytest.raises(ValueError, match="nothing is said of it"):
        Trials().add({"seed": 0})


def test_instances_are_of_the_kind_that_was_asked_for():
    assert shipped(Brokerage, "tiny") == library.load("mlbroker/tiny")
    assert drawn(Brokerage, "small", 3, num_slots=2).num_slots == 2
    with pytest.raises(UnknownName, match="eris/no_such"):
        shipped(Auction, "no_such")


def test_optima_of_integer_programs_are_found_without_a_gap():
    # two of the items of weight 1 fit; relaxed, 2.5 of them do
    knapsack = small([[1.0, 1.0, 1.0]], cost=[1, 1, 1], row_upper=[2.5], upper=[1, 1, 1])
    assert optimum(knapsack.replace(sense="max")) == 2.5
    whole = knapsack.replace(sense="max", integer=np.ones(3, bool))
    assert optimum(whole) == 2.0
    with pytest.raises(NoAnswer):
        optimum(whole.replace(row_lower=np.array([2.25])))


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_growth_is_the_power_of_a_power_law(power):
    sizes = [3, 10, 50, 700]
    assert growth(sizes, [7 * n**power for n in sizes]) == pytest.approx(power)


def test_growth_needs_three_sizes():
    with pytest.raises(ValueError, match="2 sizes say nothing of growth"):
        growth([1, 2], [1, 2])


def test_intervals_of_probabilities_by_hand():
    # no hit in n draws: (1 - p)^n = 0.025 at the upper end
    low, high = interval(0, 10)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert interval(10, 10) == (pytest.approx(0.025**0.1), 1.0)
    low, high = interval(50, 100)
    assert low == pytest.approx(1 - high)
    assert 0.39 < low < 0.4


def test_trials_that_all_hold_leave_a_proof_and_others_refute_it():
    trials = Trials()
    with pytest.raises(ValueError, match="at least one run"):
        trials.proved("nothing was tried")
    trials.add({"seed": 0}, Stated(1.0, "<=", 1.5))
    verdict = trials.proved("for all", share=2.0)
    assert (verdict.standing, verdict.note, verdict.numbers) == (
        Standing.PROVED,
        "for all",
        {"share": 2.0},
    )
    trials.add({"seed": 1}, Stated(2.0, "<=", 1.5))
    verdict = trials.proved("for all")
    assert (verdict.standing, verdict.counterexample) == (Standing.REFUTED, {"seed": 1})


X = sp.symbols("x", positive=True)


def test_expressions_vanish_for_all_positive_values_or_not():
    assert vanishes(sp.log(X**2) - 2 * sp.log(X), (X + 1) ** 2 - X**2 - 2 * X - 1)
    assert not vanishes(sp.Integer(0), sp.log(2 * X) - 2 * sp.log(X))


def test_an_expression_that_does_not_vanish_is_named():
    require_zero(square=(X + 1) ** 2 - X**2 - 2 * X - 1, zero=0)
    with pytest.raises(NotProved, match="second part: x does not vanish"):
        require_zero(first=sp.Integer(0), second_part=X)


@pytest.mark.parametrize("condition", [False, None, sp.false, sp.symbols("y") > 0])
def test_what_is_false_or_undecided_is_not_proved(condition):
    require(one=True, other=X > 0)
    with pytest.raises(NotProved, match="it holds"):
        require(it_holds=condition)


def test_a_deferred_module_is_imported_when_something_of_it_is_used(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    colors = Deferred("colorsys")
    assert "colorsys" not in sys.modules
    assert colors.rgb_to_yiq is sys.modules["colorsys"].rgb_to_yiq
    with pytest.raises(AttributeError, match="nothing"):
        colors.nothing  # noqa: B018
