"""The entropy term from below: where tangents meet, segments, refinement."""

import dataclasses
import decimal
from decimal import Decimal

import numpy as np
import pytest

from farkas.models.mlbroker.discount import entropy
from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.tangents import (
    Tangents,
    Touched,
    full_price,
    meeting,
    refine,
    shortfall,
)
from tests.generators.mlbroker import single

EPSILONS = (1e-300, 1e-100, 1e-17, 1e-9, 0.1, 1.0, 1e9, 1e17, 1e100, 1e300)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.0), (0.25, 0.250001), (0.5, 1.0)])
def test_tangents_meet_between_their_points(low, high, epsilon):
    where = meeting(np.array([low]), np.array([high]), epsilon)[0]
    with decimal.localcontext(prec=700):
        a, b = Decimal(low) + Decimal(epsilon), Decimal(high) + Decimal(epsilon)
        mean = float((b - a) / (b / a).ln() - Decimal(epsilon)) if b > a else low
    assert where == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("grows", [True, False])
def test_segments_add_up_to_the_highest_tangent(grows):
    rng = np.random.default_rng(1)
    before = rng.uniform(0, 0.9, (3, 4))
    scale = rng.uniform(0, 2, (3, 1))
    tangents = Tangents.first(before, scale, 0.2, grows=grows, pieces=9)
    for _ in range(4):
        spot = rng.uniform(tangents.start, 1.0)
        refine(tangents, spot, scale * rng.normal(size=before.shape), np.ones(before.shape, bool))
    prices, widths = tangents.segments()
    assert (np.diff(prices) >= -1e-12).all()
    for v in rng.uniform(tangents.start, 1.2, (20, 3, 4)):
        filled = np.clip(v[..., None] - tangents.start[..., None] - _starts(widths), 0, widths)
        value = tangents.constant() + (prices * filled).sum()
        true = entropy(v, before, scale, 0.2)
        assert value == pytest.approx((true - shortfall(tangents, v)).sum(), abs=1e-9)


def _starts(widths):
    return np.concatenate([np.zeros((*widths.shape[:2], 1)), np.cumsum(widths, -1)[..., :-1]], -1)


def test_prices_are_slopes_and_widths_lead_from_meeting_to_meeting():
    # from p = 0, ε = 1, scale 2: touching at 0 and e - 1 gives prices 0 and 2 ln e, split at e - 2
    points = np.array([[[0.0, np.e - 1]]])
    tangents = Tangents(points, np.zeros((1, 1)), np.zeros((1, 1)), np.full((1, 1), 2.0), 1.0)
    prices, widths = tangents.segments()
    assert prices[0, 0].tolist() == pytest.approx([0.0, 2.0])
    assert widths[0, 0].tolist() == pytest.approx([np.e - 2, np.inf])
    assert full_price(tangents) == pytest.approx(2 * np.log(2))
    # at e - 2 the term is 2 [(e - 1) ln(e - 1) - (e - 2)], both tangents are 0
    want = 2 * ((np.e - 1) * np.log(np.e - 1) - (np.e - 2))
    assert shortfall(tangents, np.full((1, 1), np.e - 2))[0, 0] == pytest.approx(want)


def test_what_never_grows_starts_at_zero_and_pays_for_leaving():
    before = np.array([[0.5]])
    leaving = Tangents.first(before, np.ones((1, 1)), 1.0, grows=False, pieces=4)
    staying = Tangents.first(before, np.ones((1, 1)), 1.0, grows=True, pieces=4)
    assert (leaving.start[0, 0], staying.start[0, 0]) == (0.0, 0.5)
    # ln(1 / 1.5) + 1/2 for going to 0 from 1/2
    assert leaving.constant() == pytest.approx(np.log(2 / 3) + 0.5)
    assert staying.constant() == 0.0
    assert leaving.segments()[0][0, 0, 0] == pytest.approx(np.log(2 / 3))
    assert staying.segments()[0].min() == 0.0
    full = Tangents.first(before, np.ones((1, 1)), 1.0, grows=True)
    assert full.points[0, 0, -1] == 1.0


def test_an_instance_gives_its_first_busy_slot_with_three_tangents():
    data = single([[5.0, 0.0], [0.0, 5.0]])
    for semantics, start in (("printed", 0.0), ("strict", 0.0)):
        found = Touched.of(data, semantics)
        assert found.problem.market.num_slots == 1
        assert found.problem.market.volume.tolist() == [[5.0, 0.0]]
        assert found.tangents.points.shape == (1, 2, 3)
        assert found.tangents.start.tolist() == [[start, start]]
    assert Touched.of(found) is found
    problem = SlotProblem.of(data)
    assert Touched.of(problem).problem is problem


def test_segments_begin_where_a_job_was_unless_it_may_leave():
    problem = dataclasses.replace(SlotProblem.of(single([[5.0, 0.0]])), before=np.full((1, 2), 0.5))
    assert Touched.of(problem, "printed").tangents.start.tolist() == [[0.5, 0.5]]
    assert Touched.of(problem, "strict").tangents.start.tolist() == [[0.0, 0.0]]


def test_full_deployment_costs_what_is_asked_for_every_job():
    # scales 2 and 3: (2 + 3) ln(1 + 1/ε), at ε = 1/4
    tangents = Tangents.first(np.zeros((2, 1)), np.array([[2.0], [3.0]]), 0.25, grows=True)
    assert full_price(tangents) == pytest.approx(5 * np.log(5))


def test_tangents_never_lie_above_the_term_and_touch_where_added():
    before = np.array([[0.0, 0.4]])
    tangents = Tangents.first(before, np.ones((1, 1)), 0.1, grows=True, pieces=8)
    spot = np.array([[0.3, 0.7]])
    assert (shortfall(tangents, spot) > 1e-4).all()
    assert refine(tangents, spot, np.zeros((1, 2)), np.ones((1, 2), bool))
    np.testing.assert_allclose(shortfall(tangents, spot), 0.0, atol=1e-12)


def test_refining_where_nothing_is_wanted_changes_nothing():
    tangents = Tangents.first(np.array([[0.0]]), np.ones((1, 1)), 0.1, grows=True, pieces=8)
    kept = tangents.points.copy()
    where = np.zeros((1, 1), bool)
    assert not refine(tangents, np.array([[0.3]]), np.zeros((1, 1)), where)
    assert np.array_equal(tangents.points, kept)


def test_close_tangents_meet_just_before_the_middle():
    # v + ε from 1 to 1 + x: x / ln(1 + x) - 1 = x/2 - x²/12 + x³/24 ...
    x = 2.0**-14
    where = meeting(np.zeros(1), np.array([x]), 1.0)[0]
    assert where == pytest.approx(x / 2 - x**2 / 12, rel=1e-9, abs=0)
