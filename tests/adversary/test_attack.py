"""Attacks find what is false, call nothing broken that is true, and keep violations small."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from farkas.adversary.shape import copied, plain_of, shape_of
from farkas.api.attack import (
    ASSUMED,
    Attempt,
    box_of,
    height,
)
from farkas.api.attack import (
    search_violation as attacked,
)
from farkas.errors import NoAnswer
from farkas.instances import Instance
from farkas.proofs.claim import Claim
from farkas.proofs.verdict import Among, Relation, Saying, Says, proved, said
from tests.tools.parts import parts

KINDS = ("coded", "dps", "eris", "gadget", "mlbroker")


def planted(says: Says, kind: str = "mlbroker", **among: Any) -> Claim:
    """A claim that nobody registered."""
    return Claim(f"{kind}.planted", "nowhere", "planted", proved, says, Among(**among))


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_claim_is_broken_and_made_as_small_as_it_can_be(kind: str) -> None:
    # draws have three parts at least, so that "at most two" is false of all, and of all that is
    # left when one part more would make it true
    found = attacked(planted(lambda one: said(Relation(parts(one), "<=", 2)), kind), evaluations=30)
    assert found.found is not None
    assert found.is_shrunk
    assert parts(found.found.example) == 3
    assert found.slack is not None
    assert found.slack < 0
    for less in shape_of(kind).smaller(plain_of(found.found.example)):
        smaller = box_of(planted(lambda one: None, kind)).built(copied(less))
        assert smaller is None or parts(smaller) <= 2 or _as_large(smaller, found.found.example)


def _as_large(smaller: Instance, found: Instance) -> bool:
    """Links, resources and plans are left out without a part less."""
    return parts(smaller) == parts(found)


def dearest(instance: Any) -> float:
    return float(instance.transfer.max())


@pytest.mark.slow
def test_annealing_climbs_where_draws_do_not_reach() -> None:
    box = box_of(planted(lambda one: None))
    most = box.ranges["transfer_price[][]"].high
    claim = planted(
        lambda one: said(Relation(dearest(one), "<=", 1.999 * most)),
        ranges={"transfer_price": (0.0, 2 * most)},
    )
    starts = [box_of(claim).built(copied(start)) for start in box_of(claim).starts]
    assert max(map(dearest, starts)) == most
    found = attacked(claim, evaluations=400)
    assert found.found is not None
    assert dearest(found.found.example) > 1.999 * most


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_true_is_not_broken(kind: str) -> None:
    found = attacked(
        planted(lambda one: said(Relation(parts(one), ">=", 1)), kind), evaluations=120
    )
    assert found.found is None
    assert found.slack is not None
    assert found.slack >= 1
    assert found.evaluations == 120


def test_rounding_is_no_violation() -> None:
    says: Says = lambda one: said(Relation(0.1 + 0.2, "<=", 0.3))  # noqa: E731
    found = attacked(planted(says), evaluations=5)
    assert found.found is None
    assert found.slack is not None
    assert found.slack < 0
    exact: Says = lambda one: said(  # noqa: E731
        Relation(Fraction(1, 3) + Fraction(1, 10**15), "<=", Fraction(1, 3))
    )
    assert attacked(planted(exact), evaluations=5).found is not None


def test_what_does_not_apply_is_not_broken() -> None:
    never = Relation(1, ">", 2)
    found = attacked(planted(lambda one: said(Relation(1, "<", 0), given=[never])), evaluations=20)
    assert found.found is None
    assert found.slack is None


def test_assumptions_are_climbed_first() -> None:
    far, near = (said(Relation(9, "<=", 1), given=[Relation(x, ">=", 8)]) for x in (1, 7))
    good = said(Relation(1, "<=", 9), given=[Relation(8, ">=", 8)])
    levels = [Attempt(None, {}, one).height for one in (far, near, good)]
    assert levels == sorted(levels)
    assert levels[1] < -ASSUMED < levels[2]


@pytest.mark.parametrize("sign", ["<=", "<", ">=", ">"])
def test_height_grows_with_the_violation_and_knows_no_unit(sign: Any) -> None:
    sides = [1.0, 2.0, 5.0, 40.0]
    levels = [height(Relation(left, sign, 3.0)) for left in sides]
    assert levels == sorted(levels, reverse=sign[0] == ">")
    scaled = [height(Relation(left * 2.0**40, sign, 3.0 * 2.0**40)) for left in sides]
    assert scaled == pytest.approx(levels)
    assert levels[3] == pytest.approx(math.log(40 / 3) * (1 if sign[0] == "<" else -1))
    assert math.isfinite(height(Relation(math.inf, sign, 3.0)))
    assert height(Relation(3.0, sign, 3.0)) == 0


def test_an_equality_is_higher_the_further_its_sides_are_apart() -> None:
    assert height(Relation(1.0, "==", 2.0)) == height(Relation(2.0, "==", 1.0)) > 0
    assert height(Relation(1.0, "!=", 2.0)) < height(Relation(1.0, "!=", 1.0)) == 0


def test_a_size_takes_small_sides_for_small() -> None:
    assert height(Relation(1e-9, ">", 0.0, size=1.0)) > height(Relation(0.5, ">", 0.0, size=1.0))


def test_the_same_seed_finds_the_same() -> None:
    says: Says = lambda one: said(Relation(float(one.volume.sum()), ">=", 30.0))  # noqa: E731
    one, two = (attacked(planted(says), evaluations=150, seed=3) for _ in range(2))
    assert (one.slack, one.evaluations, one.found) == (two.slack, two.evaluations, two.found)
    other = attacked(planted(says), evaluations=150, seed=4)
    assert other.slack != one.slack or other.found != one.found


def doubled(example: dict[str, Any]) -> Saying | None:
    if not example["weights"]:
        return None
    return said(Relation(2 * max(example["weights"]), "<=", 15.0))


def weights() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    return [{"weights": rng.uniform(0, 8, 3).round(3).tolist()} for _ in range(3)]


def test_other_input_than_instances_is_searched_too() -> None:
    found = attacked(planted(doubled, samples=weights, ranges={"weights": (0, 8)}), evaluations=80)
    assert found.found is not None
    assert found.found.example == found.found.data
    assert max(found.found.data["weights"]) > 7.5
    none = attacked(planted(doubled, samples=weights, ranges={"weights": (0, 7)}), evaluations=80)
    assert none.found is None


def test_what_cannot_be_computed_is_counted_and_left() -> None:
    def says(one: Any) -> Saying:
        if one.num_jobs < 3:
            raise NoAnswer("too few")
        return said(Relation(1, ">", 0))

    found = attacked(planted(says), evaluations=100)
    assert found.found is None
    assert found.refused > 0


def test_an_interrupt_keeps_what_was_found() -> None:
    seen: list[int] = []

    def says(one: Any) -> Saying:
        seen.append(1)
        if len(seen) > 12:
            raise KeyboardInterrupt
        return said(Relation(parts(one), "<=", 2))

    found = attacked(planted(says), evaluations=30)
    assert found.interrupted
    assert found.found is not None
    assert not found.is_shrunk

    def at_once(one: Any) -> Saying:
        raise KeyboardInterrupt

    nothing = attacked(planted(at_once), evaluations=30)
    assert nothing.interrupted
    assert nothing.found is None
    assert nothing.slack is None


def test_progress_tells_only_of_smaller_slack() -> None:
    told: list[float] = []
    says: Says = lambda one: said(Relation(float(one.volume.sum()), ">=", 0.0))  # noqa: E731
    attacked(planted(says), evaluations=60, progress=lambda done, slack: told.append(slack))
    assert told == sorted(told, reverse=True)
    assert len(set(told)) == len(told) > 0


def test_a_claim_that_says_nothing_of_examples_cannot_be_attacked() -> None:
    with pytest.raises(ValueError, match="says nothing"):
        attacked(Claim("mlbroker.planted", "nowhere", "planted", proved), evaluations=1)
