"""What statements say of single examples: of what ships, of draws, and beyond rounding."""

from __future__ import annotations

import importlib
import json
import math
import types
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from farkas.adversary.moves import moved
from farkas.adversary.shape import InstanceBox, copied
from farkas.api.attack import box_of
from farkas.errors import FarkasError
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.proofs import Standing, claims
from farkas.proofs.verdict import HOLDS, Among, Relation, Saying, beyond_rounding, said
from tests.recorded import verdicts

ALWAYS = {
    "coded.surrogate_meets_chance": "an expectation is about the median of its law, never the 98 %",
    "eris.profit_is_positive": "the first job of an empty system pays nothing, whatever it is",
    "mlbroker.kkt_by_resource": "prices of resources differ in every draw",
    "mlbroker.printed_dual_objective": "every slot has a switch that costs something",
    "mlbroker.step_12c_12d": "needs capacities and data that never meet in draws",
    "mlbroker.step_13c_13d": "its right side is never positive",
}
"""Refuted claims that fail on every draw, and why."""

RARE = {
    "dps.best_fixed_price_is_attained": "supposes that no fixed price is best, which is rare",
    "mlbroker.theorem3": "an instance of twelve sites takes seconds",
    "mlbroker.theorem3_many_jobs": "one of twelve sites and jobs takes longer",
}
"""Claims that say nothing of most draws, or take long."""


TRIED = 5000
"""Draws, and instances next to the first of them, among which one has to be right."""


def recorded(standing: Standing) -> list[Any]:
    return [
        pytest.param(name, marks=[pytest.mark.slow] * entry["slow"])
        for name, entry in verdicts.kept().items()
        if name in claims
        and claims[name].says is not None
        and entry["verdict"]["standing"] == standing
    ]


def asked(name: str, example: Any) -> Saying | None:
    says = claims[name].says
    assert says is not None
    return says(example)


@pytest.mark.slow
@pytest.mark.parametrize("name", recorded(Standing.REFUTED))
def test_what_is_said_of_the_shipped_counterexample_is_the_refutation(name: str) -> None:
    verdict = claims[name].run()
    example = verdict.counterexample
    if isinstance(example, str):
        made = library.load(example)
    else:  # the settings of a draw
        settings = {word: value for word, value in example.items() if word != "preset"}
        made = generate(name.partition(".")[0], example["preset"], **settings)
    found = asked(name, made)
    assert found is not None
    assert found.applies
    assert found.broken
    # the check goes through the same function
    assert set(map(str, found.broken)) <= set(map(str, verdict.fails))
    assert list(map(str, found.given)) == list(map(str, verdict.given))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [one for one in recorded(Standing.REFUTED) if one.values[0] not in ALWAYS | RARE]
)
def test_a_refuted_claim_is_right_about_some_draw(name: str) -> None:
    box, rng = box_of(claims[name]), np.random.default_rng(0)
    draws = [copied(start) for start in box.starts]
    for _ in range(TRIED):
        data = draws.pop(0) if draws else moved(copied(box.starts[0]), box, rng)
        found = _of(name, box, data)
        if found is not None and found.applies and not found.broken:
            assert all(one.holds or not beyond_rounding(one) for one in found.relations)
            return
    pytest.fail("it fails on every draw: then it is no claim about instances")


def _of(name: str, box: InstanceBox, data: Any) -> Saying | None:
    example = box.built(data) if box.kind else data
    if example is None:
        return None
    try:
        with np.errstate(all="ignore"):  # as attacks do: sides that are no numbers are refused
            return asked(name, example)
    except (FarkasError, ArithmeticError, ValueError, IndexError, RuntimeError):
        return None


@pytest.mark.slow
@pytest.mark.parametrize("name", recorded(Standing.HELD))
def test_a_claim_that_held_says_nothing_false_of_draws(name: str) -> None:
    box = box_of(claims[name])
    found = [_of(name, box, copied(start)) for start in box.starts[:6]]
    said_of = [one for one in found if one is not None and one.applies]
    assert said_of, "it says nothing of draws"
    for one in said_of:
        assert not one.broken
        assert all(relation.holds for relation in one.relations)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(claims))
def test_draws_are_not_what_ships(name: str) -> None:
    if claims[name].says is None:
        return
    shipped = {library.load(one).sha256 for one in library.names(claims[name].kind)}
    box = box_of(claims[name])
    built = [box.built(copied(start)) for start in box.starts] if box.kind else []
    assert not shipped & {one.sha256 for one in built if one is not None}


def test_most_refutations_by_an_instance_can_be_searched() -> None:
    by_instance = [
        name
        for name, entry in verdicts.kept().items()
        if isinstance(entry["verdict"].get("counterexample"), str) and name in claims
    ]
    without = [name for name in by_instance if claims[name].says is None]
    assert without == ["gadget.path_capacities_bound_links"]


def test_what_is_assumed_decides_whether_it_applies() -> None:
    found = said(Relation(2, "<=", 1), given=[Relation(1, ">", 0)], size=3.0)
    assert found.applies
    assert found.broken == found.shown == (Relation(2, "<=", 1),)
    assert found.numbers == {"size": 3.0}
    none = said(Relation(2, "<=", 1), given=[Relation(0, ">", 0)])
    assert not none.applies
    assert none.broken == ()
    fine = said(Relation(0, "<=", 1), Relation(2, "<=", 5))
    assert fine.broken == ()
    assert fine.shown == fine.relations
    assert fine.slack == 1
    with pytest.raises(ValueError, match="nothing is said"):
        said()


@pytest.mark.parametrize(
    ("relation", "beyond"),
    [
        (Relation(1.0, "<=", 1.0), False),
        (Relation(1.0 + 1e-12, "<=", 1.0), False),
        (Relation(1.0 + 1e-6, "<=", 1.0), True),
        (Relation(1.0 + 1e-6, "<=", 1.0, 1e-5), False),
        (Relation(1.0 + 1e-4, "<=", 1.0, 1e-5), True),
        (Relation(2, "<", 2), True),
        (Relation(2.0, "<", 2.0), False),
        (Relation(0.0, ">", 0.0), True),
        (Relation(math.inf, "<", math.inf), True),
        (Relation(1e-15, "<=", 0.0, size=1.0), False),
        (Relation(1e-15, "<=", 0.0), True),
        (Relation(Fraction(1, 3), "==", Fraction(1, 3) + Fraction(1, 10**20)), True),
    ],
)
def test_rounding_alone_breaks_nothing(relation: Relation, beyond: bool) -> None:
    assert beyond_rounding(relation) is beyond


def test_a_box_can_be_changed() -> None:
    box = Among(size={"jobs": 2}).sized(slots=3).over(data=(0.0, 1.0))
    assert (box.size, box.ranges) == ({"jobs": 2, "slots": 3}, {"data": (0.0, 1.0)})


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [
        ("<=", True, True, False),
        ("<", True, False, False),
        (">=", False, True, True),
        (">", False, False, True),
        ("==", False, True, False),
        ("!=", True, False, True),
    ],
)
def test_each_sign_against_a_smaller_an_equal_and_a_larger_side(sign, below, equal, above) -> None:
    assert [Relation(left, sign, 2.0).holds for left in (1.0, 2.0, 3.0)] == [below, equal, above]
    # without a tolerance the next double is another number
    assert Relation(math.nextafter(2.0, 3.0), sign, 2.0).holds == above


@pytest.mark.parametrize(
    ("relation", "slack"),
    [
        (Relation(1.0, "<=", 4.0), 3.0),
        (Relation(4.0, "<", 1.0), -3.0),
        (Relation(1.0, ">=", 4.0), -3.0),
        (Relation(4.0, ">", 1.0), 3.0),
        (Relation(1.0, "==", 4.0), -3.0),
        (Relation(1.0, "!=", 4.0), 3.0),
        (Relation(2.0, "==", 2.0), 0.0),
        # a share of the larger side, or of the size, where a tolerance is such a share
        (Relation(3.0, "<=", 4.0, 0.5), 0.25),
        (Relation(4.0, "<=", 3.0, 0.5), -0.25),
        (Relation(4.0, "<=", 3.0, 0.5, size=8.0), -0.125),
        (Relation(1.0, "<=", -1.0, 0.5), -2.0),
        (Relation(0.0, "<=", 0.0, 0.5), 0.0),
        (Relation(1.0, "<=", math.inf, 0.5), math.inf),
        (Relation(math.inf, "<=", 1.0, 0.5), -math.inf),
        (Relation(math.inf, "<=", math.inf), 0.0),
        (Relation(Fraction(1, 3), "<=", 1), 2 / 3),
    ],
)
def test_slacks_by_hand_contain_no_tolerance(relation: Relation, slack: float) -> None:
    assert relation.slack == slack


def test_beyond_every_side_there_is_no_tolerance_at_zero() -> None:
    assert not Relation(1e-300, "<=", 0.0, 1e-6).holds
    assert not Relation(math.inf, "<=", 1.0, 1e-6).holds


def test_fractions_are_compared_exactly() -> None:
    third = Fraction(1, 3)
    assert not Relation(third, "==", 1 / 3).holds
    assert Relation(third + Fraction(1, 10**40), ">", third).holds


@pytest.mark.parametrize("sides", [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan)])
@pytest.mark.parametrize("sign", HOLDS)
def test_what_is_not_a_number_is_in_no_relation(sides, sign) -> None:
    with pytest.raises(ValueError, match="a side is not a number"):
        Relation(sides[0], sign, sides[1])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sign": "<>"}, "'<>' is no sign"),
        ({"sign": "<", "tolerance": 1e-6}, "a strict relation leaves no room"),
        ({"sign": "!=", "tolerance": 1e-6}, "a strict relation leaves no room"),
        ({"sign": "<=", "tolerance": -1e-6}, "tolerance -1e-06 is negative"),
        ({"sign": "<=", "tolerance": math.nan}, "tolerance nan is negative"),
        ({"sign": "<=", "tolerance": math.inf}, "tolerance inf is negative or infinite"),
        ({"sign": "<=", "size": -1.0}, "size -1.0 is negative"),
    ],
)
def test_a_relation_that_makes_no_sense_is_refused(how, words) -> None:
    with pytest.raises(ValueError, match=words):
        Relation(1.0, right=2.0, **how)


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (Relation(8.75, "<=", 3.61), "8.75 <= 3.61"),
        (Relation(True, ">", 0), "1 > 0"),
        (Relation(np.float64(0.5), "==", Fraction(1, 2)), "0.5 == 0.5"),
        # as many digits as tell the sides apart
        (Relation(1 + 1e-9, "<=", 1.0), "1.000000001 <= 1"),
        (Relation(math.nextafter(1.0, 2.0), "<=", 1.0), "1.0000000000000002 <= 1.0"),
        (Relation(2.0, "<=", 1.0, 1e-6), "2 <= 1 (tolerance 1e-06)"),
        (Relation(math.inf, "<=", 1.0), "inf <= 1"),
    ],
)
def test_a_relation_in_words(relation: Relation, words: str) -> None:
    assert str(relation) == words


def test_plain_data_are_json_and_give_the_relation_back() -> None:
    for relation in (Relation(2, "<=", 1.5, 0.25), Relation(math.inf, "<", -math.inf)):
        data = json.loads(json.dumps(relation.to_builtins(), allow_nan=False))
        assert Relation(**data) == relation
    assert Relation(2, "==", 1).to_builtins() == {"left": 2.0, "sign": "==", "right": 1.0}


@pytest.mark.parametrize(("module", "claim", "part", "instead"), [
    ("gadget.rounding", "relaxation_time", "growth", lambda *_: 0.0),
    ("mlbroker.integral", "rounding_costs_little", "_rounding_ratio", lambda *_: 2.5),
    ("mlbroker.integral", "rounding_multiplies_dear_capacity_by_at_most_one_plus_lambda",
     "largest_lambda", lambda *_: 1e9),
    ("mlbroker.integral", "synchronisation_costs_at_most_its_volume", "recourse_costs",
     lambda *_: types.SimpleNamespace(sync=np.zeros(1))),
    ("mlbroker.integral", "rounded_transfers_cost_at_most_the_fractional_solution",
     "recourse_costs", lambda *_: types.SimpleNamespace(transfer=np.zeros(1))),
    ("mlbroker.fractional", "the_evaluation_meets_the_assumption_of_theorem_3", "drawn",
     lambda *_, **__: types.SimpleNamespace(pairs_at=lambda _: range(99), num_slots=1,
                                            num_resources=1, num_sites=1, num_jobs=99)),
    ("mlbroker.runs", "the_entropy_term_is_strictly_increasing", "entropy_term",
     lambda v, *_: v),
    ("mlbroker.runs", "the_smallest_deployment_minimises_the_entropy_term", "entropy_term",
     lambda v, *_: v),
])  # fmt: skip
def test_a_verdict_on_one_example_follows_its_numbers(
    module, claim, part, instead, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = importlib.import_module(f"farkas.proofs.{module}")
    assert getattr(of, claim)().standing is Standing.REFUTED
    monkeypatch.setattr(of, part, instead)
    assert getattr(of, claim)().standing is Standing.HELD
