"""Verdicts say exactly what is known."""

from __future__ import annotations

import math
import sys

import msgspec
import pytest
import sympy as sp

from farkas.errors import InvalidOption, NoVerdict, UnknownName
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.instances.mlbroker import Brokerage
from farkas.proofs import Standing, claim, claims, held, not_applicable, proved, refuted
from farkas.proofs.claim import (
    Claim,
    DeferredModule,
    NotProved,
    Trials,
    drawn,
    growth,
    instance_of,
    interval,
    require,
    require_zero,
    select,
    vanishes,
)
from farkas.proofs.verdict import Relation

FAILS = Relation(3.0, "<=", 2.0)
HOLDS = Relation(1.0, "<=", 1.25)
EQUAL = Relation(1.0, "==", 1.01, 0.1)


def test_a_verdict_is_neither_true_nor_false() -> None:
    # `if verdict:` would take "refuted" for a success
    with pytest.raises(TypeError, match="compare its standing"):
        bool(refuted("mlbroker/tiny", FAILS))


@pytest.mark.parametrize("counterexample", ["", {}, "mlbroker/nowhere", "tiny", "mlbroker/../x"])
def test_a_refutation_needs_a_counterexample_that_ships(counterexample: object) -> None:
    with pytest.raises(ValueError, match=r"counterexample|no instance"):
        refuted(counterexample, FAILS)  # type: ignore[arg-type]


def test_a_counterexample_that_violates_nothing_is_an_error_and_no_evidence() -> None:
    assert refuted("mlbroker/tiny", FAILS).standing is Standing.REFUTED
    equal = Relation(2.0, "<=", 2.0)
    for statement in (equal, [FAILS, equal], [equal, FAILS]):
        with pytest.raises(NoVerdict, match="mlbroker/tiny violates nothing: 2 <= 2 holds"):
            refuted("mlbroker/tiny", statement)
    with pytest.raises(ValueError, match="needs the relation that fails"):
        refuted("mlbroker/tiny", [])


def test_sides_and_assumptions_are_relations_and_nothing_else() -> None:
    with pytest.raises(InvalidOption):
        refuted("mlbroker/tiny", [FAILS, True])  # type: ignore[list-item]
    with pytest.raises(InvalidOption):
        refuted("mlbroker/tiny", FAILS, given=[True])


def test_a_counterexample_meets_what_the_statement_assumes() -> None:
    one = Relation(1, ">", 0)
    assert refuted("mlbroker/tiny", FAILS, given=one).given == (one,)
    for given in (Relation(0, ">", 0), [one, Relation(0, ">", 0)]):
        with pytest.raises(NoVerdict, match="the assumption 0 > 0 fails"):
            refuted("mlbroker/tiny", FAILS, given=given)


@pytest.mark.parametrize("runs", [0, -1])
def test_held_needs_runs(runs: int) -> None:
    with pytest.raises(ValueError, match="says nothing"):
        held([Relation(0, "<=", 1)], runs=runs)
    with pytest.raises(ValueError, match="says nothing"):
        held([], runs=3)


def test_held_needs_every_relation_to_hold() -> None:
    fine = Relation(0, "<=", 1)
    for relations in ([FAILS], [fine, FAILS], [FAILS, fine]):
        with pytest.raises(NoVerdict, match="3 <= 2 is violated"):
            held(relations)


def test_held_counts_relations_and_keeps_smallest_slack_and_largest_tolerance() -> None:
    verdict = held([Relation(0, "<=", 0.5), Relation(4, "<=", 8, 0.125), Relation(1, "<=", 2)])
    assert (verdict.runs, verdict.slack, verdict.tolerance) == (3, 0.5, 0.125)
    assert held([Relation(0, "<=", 1), Relation(0, "<", 1)], runs=1).runs == 1


def test_not_applicable_says_which_assumption_fails() -> None:
    with pytest.raises(ValueError, match="which assumption"):
        not_applicable("")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (proved(), "proved"),
        (held([HOLDS], runs=200), "held: in 200 runs, smallest slack 0.25"),
        (held([EQUAL]), "held: in 1 runs, smallest slack -0.0099; tolerance 0.1"),
        (
            refuted("mlbroker/tiny", FAILS, "a ratio"),
            "refuted: by mlbroker/tiny; statement 3 <= 2 fails; a ratio",
        ),
        (refuted({"x": 1}, [FAILS, FAILS]), "refuted: statement 3 <= 2, 3 <= 2 fails"),
        (not_applicable("prices are negative"), "not applicable: prices are negative"),
    ],
)
def test_a_verdict_in_words(verdict: object, words: str) -> None:
    assert str(verdict) == words
    assert "passed" not in words


def test_plain_data_of_a_verdict_keeps_sides_and_numbers() -> None:
    data = refuted({"epsilon": 1.0}, FAILS, given=HOLDS, ratio=1.5).to_builtins()
    assert data == {
        "standing": "refuted",
        "counterexample": {"epsilon": 1.0},
        "fails": [{"left": 3.0, "sign": "<=", "right": 2.0}],
        "given": [{"left": 1.0, "sign": "<=", "right": 1.25}],
        "numbers": {"ratio": 1.5},
    }
    data = held([EQUAL]).to_builtins()
    assert data == {
        "standing": "held",
        "runs": 1,
        "slack": pytest.approx(-1 / 101),
        "tolerance": 0.1,
    }


@pytest.mark.parametrize("name", ["nokind", "kind."[:4]])
def test_a_claim_needs_kind_and_name(name: str) -> None:
    with pytest.raises(ValueError, match=r"kind\.what_it_says"):
        claim(name, source="nowhere")


def test_a_claim_needs_source_and_statement() -> None:
    with pytest.raises(ValueError, match="source"):
        claim("mlbroker.nothing", source="")
    with pytest.raises(ValueError, match="statement"):
        claim("mlbroker.nothing", source="nowhere")(lambda: proved())


def test_a_check_that_returns_no_verdict_is_refused() -> None:
    wrong = Claim("mlbroker.wrong", "nowhere", "Says nothing.", lambda: True)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"mlbroker\.wrong returned bool"):
        wrong.run()


def test_selecting_by_nothing_gives_all_and_by_name_one() -> None:
    assert [item.name for item in select()] == claims.names()
    with pytest.raises(UnknownName, match="unknown claim"):
        select("mlbroker.no_such")


def test_trials_count_runs_and_keep_the_smallest_slack():
    trials = Trials()
    trials.add({"seed": 0}, Relation(1.0, "<=", 1.5), Relation(2.25, ">", 2.0))
    trials.add({"seed": 1}, Relation(0.0, "<", 0.75))
    assert trials.slack == 0.25
    verdict = trials.verdict("twice", share=2.0)
    assert (verdict.standing, verdict.runs, verdict.slack) == (Standing.HELD, 2, 0.25)
    assert (verdict.note, verdict.numbers) == ("twice", {"share": 2.0})


def test_the_first_of_equally_bad_trials_refutes():
    trials = Trials()
    for seed, left in enumerate((0.5, 1.25, 1.25, 1.125)):
        trials.add({"seed": seed}, Relation(0, "<=", 0), Relation(left, "<=", 1))
    verdict = trials.verdict(share=2.0)
    assert (verdict.standing, verdict.counterexample) == (Standing.REFUTED, {"seed": 1})
    assert verdict.fails == (Relation(1.25, "<=", 1),)
    assert verdict.numbers == {"share": 2.0}


def test_a_strict_relation_between_equals_refutes_although_its_slack_is_zero():
    trials = Trials()
    trials.add({"seed": 0}, Relation(1, "<=", 1))
    trials.add({"seed": 1}, Relation(1, "<", 1))
    assert trials.verdict().counterexample == {"seed": 1}


def test_an_instance_that_refutes_is_written_out():
    trials, sample = Trials(), instance_of(Auction, "tiny")
    trials.add(sample, Relation(2, "<=", 1))
    assert msgspec.convert(trials.verdict().counterexample, Auction) == sample


def test_a_tolerance_is_said_and_no_part_of_the_slack():
    trials, tolerance = Trials(), 2.0**-20
    trials.add({"seed": 0}, Relation(1 + 2.0**-21, "<=", 1.0, tolerance, size=2.0))
    verdict = trials.verdict()
    assert (verdict.standing, verdict.slack) == (Standing.HELD, -(2.0**-22))
    assert verdict.tolerance == tolerance
    trials.add({"seed": 1}, Relation(1 + 2.0**-18, "<=", 1.0, tolerance, size=2.0))
    assert trials.verdict().counterexample == {"seed": 1}


def test_no_trials_and_trials_without_a_relation_say_nothing():
    assert Trials().slack == math.inf
    with pytest.raises(ValueError, match="held in 0 runs"):
        Trials().verdict()
    with pytest.raises(ValueError, match="nothing is said of it"):
        Trials().add({"seed": 0})


def test_instances_are_of_the_kind_that_was_asked_for():
    assert instance_of(Brokerage, "tiny") == library.load("mlbroker/tiny")
    assert drawn(Brokerage, "small", 3, num_slots=2).num_slots == 2
    with pytest.raises(UnknownName, match="eris/no_such"):
        instance_of(Auction, "no_such")


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
    trials.add({"seed": 0}, Relation(1.0, "<=", 1.5))
    verdict = trials.proved("for all", share=2.0)
    assert (verdict.standing, verdict.note, verdict.numbers) == (
        Standing.PROVED,
        "for all",
        {"share": 2.0},
    )
    trials.add({"seed": 1}, Relation(2.0, "<=", 1.5))
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
    colors = DeferredModule("colorsys")
    assert "colorsys" not in sys.modules
    assert colors.rgb_to_yiq is sys.modules["colorsys"].rgb_to_yiq
    with pytest.raises(AttributeError, match="nothing"):
        colors.nothing  # noqa: B018
