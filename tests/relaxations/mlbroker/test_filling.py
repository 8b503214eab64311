"""Work poured over sites: optimality by hand, closed forms, what happens while rents rise."""

import math

import numpy as np
import pytest

from farkas.relaxations.mlbroker import filling
from farkas.relaxations.mlbroker.filling import FreeMoves, SiteLevels


def poured(amount, move, floor, before, scale=1.0, epsilon=1.0):
    arrays = (np.array(values, dtype=float) for values in (move, floor, before))
    found = SiteLevels(*arrays, scale, epsilon)
    found.pour(np.array(amount, dtype=float))
    return found


def assert_optimal(found, amount, move, floor, before, scale, epsilon):
    """The conditions of Karush, Kuhn and Tucker, number by number."""
    origins, sites = len(amount), len(floor)
    load = [sum(found.work[o, r] for o in range(origins)) for r in range(sites)]
    for o in range(origins):
        assert sum(found.work[o]) == pytest.approx(amount[o], abs=1e-12)
        prices = [move[o][r] + floor[r] + found.rent[r] for r in range(sites)]
        for r in range(sites):
            assert found.work[o, r] >= 0
            if found.work[o, r] > 0:
                assert prices[r] == pytest.approx(min(prices), rel=1e-9, abs=1e-12)
    for r in range(sites):
        assert found.rent[r] >= 0
        if scale == 0 or found.rent[r] == 0:
            assert load[r] <= (before[r] if scale else 1.0) + 1e-12
        else:
            risen = (before[r] + epsilon) * math.expm1(found.rent[r] / scale)
            assert load[r] - before[r] == pytest.approx(risen, rel=1e-7, abs=1e-9)
        assert found.held[r] >= load[r] - 1e-12


def drawn(seed):
    """Amounts, prices and shares of any size; every other time with many ties."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(1, 7))
    tied = seed % 2
    amount = rng.dirichlet(np.ones(sites + 1)) * (rng.random(sites + 1) < 0.8)
    move = rng.uniform(0, 2, (sites + 1, sites))
    move[:sites][np.eye(sites, dtype=bool)] = 0
    move[sites] = 0
    floor = rng.uniform(0, 2, sites)
    before = rng.uniform(0, 1, sites) * (rng.random(sites) < 0.6)
    if tied:
        amount = np.round(8 * amount) / 16
        move, floor, before = np.round(move), np.round(floor), np.round(4 * before) / 8
    scale = float(rng.choice([0.01, 0.5, 3.0]))
    epsilon = float(rng.choice([0.001, 0.1, 1.0, 100.0]))
    return amount, move, floor, before, scale, epsilon


def test_rises_end_for_every_reason(monkeypatch):
    """All is held, another site is as cheap, work that made room is used up; and work shifts."""
    ends, raised, shifted = set(), SiteLevels._raise, []

    def noted(self, found, more):
        first, was = found.sites[0], self.work.copy()
        raised(self, found, more)
        if self.load[first] == self.held[first]:
            ends.add("held")
        elif any(self.work[o, r] == 0 < was[o, r] for o, r in found.taken_from.items()):
            ends.add("used up")
        else:
            ends.add("as cheap")

    shift = SiteLevels._shift
    monkeypatch.setattr(SiteLevels, "_raise", noted)
    monkeypatch.setattr(SiteLevels, "_shift", lambda *these: (shifted.append(1), shift(*these)))
    for seed in range(60):
        given = drawn(seed)
        assert_optimal(poured(*given), *given)
    assert ends == {"held", "used up", "as cheap"}
    assert shifted


def test_no_more_work_is_moved_than_there_is_on_the_way():
    # site 0 holds 0.4 too much, site 2 has room for 0.5, but from site 1 only 0.1 can move on
    levels = SiteLevels(np.zeros((2, 3)), np.zeros(3), np.array([0.2, 0.1, 0.5]), 1.0, 1.0)
    levels.work[0, 0], levels.work[1, 1] = 0.6, 0.1
    levels.load[:] = [0.6, 0.1, 0.0]
    levels._shift(FreeMoves([0, 1, 2], {0: 0, 1: 1}, {1: 0, 2: 1}, room=2))
    assert levels.work.tolist() == [[0.5, 0.1, 0.0], [0.0, 0.0, 0.1]]
    assert levels.load.tolist() == [0.5, 0.1, 0.1]


def test_two_origins_meet_at_the_cheaper_site():
    # Origin 0 is at site 0, origin 1 at site 1, which costs 1 more; ε = 1, scale 1.  Site 0 holds
    # e^D - 1: with D = ln 2 it would hold all.  So site 1 stays empty, at rent 0: ln 2 < 1.
    found = poured([0.5, 0.5], [[0, 9], [0, 9]], [0, 1], [0, 0])
    assert found.rent.tolist() == pytest.approx([math.log(2), 0])
    assert found.work.tolist() == [[0.5, 0], [0.5, 0]]
    # origin 1 pays 0.5 to get there: at e^(1/2) - 1 at site 0, the rest stays at rent D with
    # e^(D + 1/2) - 1 + e^D - 1 = 1
    found = poured([0.5, 0.5], [[0, 9], [0.5, 0]], [0, 1], [0, 0])
    rent = math.log(3 / (1 + math.exp(0.5)))
    assert found.rent.tolist() == pytest.approx([rent + 0.5, rent])


def test_rents_are_the_least_that_are_optimal():
    # a site that holds all of it asks for nothing, although any rent would do
    found = poured([1.0], [[0.0]], [5.0], [1.0])
    assert found.rent.tolist() == [0.0]


def test_free_deployment_holds_everything():
    given = [0.25, 0.75], [[0, 1], [1, 0]], [0.0, 0.5], [0.0, 0.0], 0.0, 1.0
    found = poured(*given)
    assert found.rent.tolist() == [0, 0]
    assert found.work.tolist() == [[0.25, 0], [0, 0.75]]


@pytest.mark.parametrize("epsilon", [1e-300, 1e-100, 1e-17, 1e9, 1e100, 1e300])
def test_any_epsilon(epsilon):
    # two sites of which the second costs a little more than the first, by half of the first rent
    sigma = math.log1p(1 / epsilon)
    found = poured([1.0], [[0.0, 0.0]], [0.0, 0.25], [0.0, 0.0], 1 / sigma, epsilon)
    first, second = found.work[0].tolist()
    assert first + second == pytest.approx(1.0, rel=1e-12)
    if epsilon > 1:  # σ ε is near 1, and the term near v² / 2
        assert found.rent[0] == pytest.approx(first, rel=1e-6)
        assert found.rent[1] == pytest.approx(second, rel=1e-6)
        assert found.rent[0] - found.rent[1] == pytest.approx(0.25, rel=1e-6)
    else:
        assert second < 1e-3
        assert found.rent[0] == pytest.approx(1.0, rel=1e-2)


@pytest.mark.parametrize("exponent", [-200, -40, 40, 200])
def test_units_of_money_change_nothing_but_rents(exponent):
    for seed in range(20):
        amount, move, floor, before, scale, epsilon = drawn(seed)
        unit = 2.0**exponent
        found = poured(amount, move, floor, before, scale, epsilon)
        other = poured(amount, unit * move, unit * floor, before, unit * scale, epsilon)
        assert other.work.tolist() == found.work.tolist()
        assert other.rent.tolist() == (unit * found.rent).tolist()


def test_it_stops_rather_than_to_go_in_circles(monkeypatch):
    monkeypatch.setattr(filling, "MOST_STEPS", 0)
    levels = SiteLevels(np.zeros((2, 1)), np.zeros(1), np.zeros(1), 1.0, 1.0)
    levels.pour(np.array([0.5, 0.5]))
    assert levels.load[0] > levels.held[0]
