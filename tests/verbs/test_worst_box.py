"""`farkas.worst_box`: the ratio of a box from both sides, and that nothing weaker is accepted."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.adversary.box import InstanceBox
from farkas.adversary.scoring import Scorer
from farkas.errors import InvalidInstance, InvalidOption, NotACertificate, NotApplicable
from farkas.exact.proving import prove_form
from farkas.forms.rational import as_rational
from farkas.online import algorithms
from farkas.verbs.worst_box import BoxProof, boxed, worst_box, worst_program
from tests.tools.boxes import coded_box, dps_box, gadget_box, mlbroker_box

BOXES = {
    "coded.simple_greedy": coded_box(workers=2),
    "dps.fixed_price": dps_box(2.0, 7.0),
    "gadget.fifo": gadget_box(),
    "mlbroker.local": mlbroker_box(slots=1),
}
RATIOS = {"coded.simple_greedy": 3.0, "dps.fixed_price": 3.5, "gadget.fifo": 8.0}
"""By hand: fastest against slowest pair; two jobs of 2 are served where two of 7 would pay; job 0
earns 1 and ends the slot, two workers of job 2 and one of job 1 would earn 8.
"""
WORDS = {"coded.simple_greedy": {"rate": (1, 3)}, "dps.fixed_price": {"budget": (2, 7)},
         "gadget.fifo": {"demand": (1, 3)}, "mlbroker.local": {"data": (0, 4)}}  # fmt: skip

every_box = pytest.mark.parametrize("name", BOXES)


@functools.cache
def proved(name: str) -> BoxProof:
    return worst_box(name, BOXES[name])


@every_box
def test_both_sides_are_proved_and_meet(name: str) -> None:
    found = proved(name)
    assert found.at_most is not None
    assert found.at_least is not None
    assert found.at_least <= found.at_most <= found.at_least * (1 + Fraction(1, 10**5))
    if name in RATIOS:
        assert float(found.at_most) == pytest.approx(RATIOS[name], rel=1e-9)


@every_box
def test_check_accepts_both_without_a_solver(name: str) -> None:
    found = proved(name)
    assert found.lower is not None
    assert farkas.check(found.lower.gap).ratio == found.at_least
    proof = farkas.check(found.upper.certificate, found.box)
    assert proof.bound is not None
    assert proof.bound <= 0
    assert found.program.full_name in proof.statement


@every_box
def test_a_certificate_is_refused_for_a_smaller_ratio(name: str) -> None:
    found = proved(name)
    certificate = found.upper.certificate
    smaller = str(found.program.factor * 0.999)
    forged = msgspec.structs.replace(
        certificate,
        program=certificate.program.replace(found.program.ratio, smaller),
        options=certificate.options | {"ratio": smaller},
    )
    with pytest.raises(NotACertificate):
        farkas.check(forged, found.box)


@every_box
def test_at_a_smaller_ratio_there_is_an_instance_that_is_worse(name: str) -> None:
    found = proved(name)
    program = type(found.program)(
        **found.program.variant | {"ratio": str(found.program.factor * 0.99)}
    )
    less = prove_form(as_rational(program.form(found.box)))
    assert less.value is not None
    assert less.value > 0


@every_box
def test_the_instance_lies_in_the_box(name: str) -> None:
    found = proved(name)
    assert found.lower is not None
    box = InstanceBox.around(found.box)
    inside = InstanceBox.around(found.lower.instance)
    for family in found.program.varied:
        near, far = inside.ranges[family], box.ranges[family]
        assert far.low <= near.low <= near.high <= far.high


@every_box
def test_random_instances_of_the_box_are_no_worse(name: str) -> None:
    found = proved(name)
    assert found.at_most is not None
    scorer = Scorer(algorithms[name], {})
    rng = np.random.default_rng(0)
    form = found.program.form(found.box)
    low, high = form.safe_lower, form.safe_upper
    tried = 0
    for _ in range(25):
        values = {
            block.name: rng.uniform(low[block.where], high[block.where]).reshape(block.shape)
            for block in form.columns
        }
        scored = scorer.score(found.program.decoded(found.box, values))
        if scored is not None:
            assert scored.ratio is not None
            assert scored.ratio <= found.at_most
            tried += 1
    assert tried > 20


@pytest.mark.parametrize("name", ["dps.fixed_price", "gadget.fifo", "mlbroker.local"])
def test_the_search_reaches_the_same_within_a_hundredth(name: str) -> None:
    found = proved(name)
    assert found.at_least is not None
    other = farkas.worst(name, found.box, ranges=WORDS[name], evaluations=1000)
    assert other.scored.ratio is not None
    assert other.scored.ratio >= found.at_least * Fraction(98, 100)  # and shrinks
    # the search may leave out jobs; data on a grid are only a part of the box of mlbroker
    if name in RATIOS:
        assert found.at_most is not None
        assert other.scored.ratio <= found.at_most


def test_a_reward_of_nothing_has_no_ratio() -> None:
    found = worst_box("dps.fixed_price", dps_box(1.0, 3.0))
    assert found.at_most is None
    assert found.closed is None
    assert found.lower is not None
    assert found.at_least is None
    assert found.words() == ("unbounded", "unbounded")
    plain = found.to_builtins()
    assert plain["ratio_at_most"] == plain["ratio_at_least_exact"] == "unbounded"


def test_what_is_not_proved_is_not_said() -> None:
    found = proved("gadget.fifo")
    open_ = dataclasses.replace(
        found, upper=dataclasses.replace(found.upper, bound=Fraction(1, 10**9))
    )
    assert open_.at_most is None
    assert open_.words()[1] == "not proved"
    assert open_.to_builtins()["ratio_at_most_exact"] is None


def test_json_has_both_sides_exactly() -> None:
    found = proved("mlbroker.local")
    plain = found.to_builtins()
    assert Fraction(plain["ratio_at_most_exact"]) == found.at_most
    assert Fraction(plain["ratio_at_least_exact"]) == found.at_least
    assert plain["ratio_at_least"] <= plain["ratio_at_most"]
    assert Fraction(plain["bound_exact"]) <= 0
    assert "at most" in repr(found)


def test_ranges_move_the_ends_of_the_box() -> None:
    box = boxed(dps_box(), worst_program("dps.fixed_price"), {"budget": (2.0, 5.0)})
    assert [job.budget for job in box.jobs] == [2.0, 3.0, 5.0]  # type: ignore[attr-defined]
    found = worst_box("dps.fixed_price", dps_box(), ranges={"budget": (2.0, 5.0)})
    assert float(found.at_most or 0) == pytest.approx(2.5)


def test_a_box_of_one_instance_has_its_ratio() -> None:
    found = worst_box("dps.fixed_price", dps_box(2.0, 2.0))
    assert float(found.at_most or 0) == pytest.approx(1.0)
    assert found.at_least == 1


@pytest.mark.parametrize(
    ("error", "algorithm", "instance", "arguments"),
    [
        (InvalidOption, "mlbroker.central", "mlbroker/tiny", {}),
        (InvalidOption, "mlbroker.local", "mlbroker/tiny", {"ranges": {"base_price": (1, 2)}}),
        (InvalidOption, "mlbroker.local", "mlbroker/tiny", {"variant": {"parts": "3"}}),
        (InvalidOption, "dps.fixed_price", dps_box(), {"placement": "best_fit"}),
        (InvalidOption, "dps.fixed_price", "dps/long_job", {"ranges": {"budget": (1, 2)}}),
        (InvalidInstance, "dps.fixed_price", "mlbroker/tiny", {}),
        (NotApplicable, "dps.fixed_price", "dps/tiny", {}),
    ],
)
def test_what_cannot_be_asked_is_refused(error, algorithm, instance, arguments) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error):
        worst_box(algorithm, instance, **arguments)
