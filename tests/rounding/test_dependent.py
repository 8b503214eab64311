"""Noise of solvers is taken off fractional workers before they are rounded."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkas.rounding import dependent
from farkas.rounding.dependent import round_keeping_weight, trade_once
from farkas.rounding.workers import round_jobs, snap, snap_workers
from farkas.tolerances import WHOLE
from tests.tools.quick import some

NO_DEADLINE = settings(deadline=None, derandomize=True, max_examples=some(50, 300))
entries = st.lists(st.tuples(st.floats(0, 5), st.floats(0.01, 100)), min_size=0, max_size=8)


class UndecidedRay(Exception):
    """A draw that a `Script` does not foresee, with the chance of each of its results."""


class Script:
    """Stands in for the generator and for the draw of a trade: plays back which result each had."""

    def __init__(self, results):
        self.results = iter(results)

    def choose(self, chances):
        for result in self.results:
            return result
        raise UndecidedRay(chances)

    def integers(self, count):
        return self.choose([1 / count] * count)

    def random(self):
        return Draw(self)

    def trade(self, share, weight, _draw):
        low, high = 0.0, 1.0  # the chance that the first gains is where the result changes
        gained, lost = trade_once(share, weight, 0.0), trade_once(share, weight, ALMOST_ONE)
        while high - low > 1e-15:
            middle = (low + high) / 2
            if np.array_equal(trade_once(share, weight, middle), gained):
                low = middle
            else:
                high = middle
        return (gained, lost)[self.choose([low, 1 - low])]


class Draw:
    """One number of a `Script`, of which only comparisons are known."""

    def __init__(self, script):
        self.script = script

    def __lt__(self, chance):
        return self.script.choose([1 - chance, chance]) == 1

    def __float__(self):
        return 0.0  # for a trade, which asks the script itself


ALMOST_ONE = np.nextafter(1.0, 0.0)


@pytest.fixture
def means(monkeypatch):
    """Exact expectations of the rounded entries: every result of every draw, with its chance."""

    def expectation(fractional, weight, **options):
        total, weights, open_scripts = np.zeros(len(fractional)), 0.0, [((), 1.0)]
        while open_scripts:
            results, chance = open_scripts.pop()
            script = Script(results)
            try:
                with monkeypatch.context() as patch:
                    patch.setattr(dependent, "trade_once", script.trade)
                    total += chance * round_keeping_weight(fractional, weight, script, **options)
                weights += chance
            except UndecidedRay as draw:
                for result, share in enumerate(draw.args[0]):
                    open_scripts.append(((*results, result), chance * share))
        assert weights == pytest.approx(1.0, abs=1e-12)
        return total

    return expectation


@NO_DEADLINE
@given(entries, st.integers(0, 2**32))
def test_every_entry_becomes_its_floor_or_its_ceiling(items, seed):
    fractional = np.array([item[0] for item in items])
    weight = np.array([item[1] for item in items])
    rounded = round_keeping_weight(fractional, weight, np.random.default_rng(seed))
    for value, whole in zip(fractional, rounded, strict=True):
        # Within 1e-9 of an integer the entry is settled without a draw.
        assert whole in {np.floor(value), np.ceil(value)}


@NO_DEADLINE
@given(entries, st.integers(0, 2**32))
def test_weight_is_kept_up_to_the_last_item_which_goes_up(items, seed):
    fractional = np.array([item[0] for item in items])
    weight = np.array([item[1] for item in items])
    rounded = round_keeping_weight(fractional, weight, np.random.default_rng(seed))
    excess = weight @ (rounded - fractional)
    noise = 1e-8 * (1 + weight.sum())
    assert excess >= -noise
    assert excess <= weight.max(initial=0.0) + noise


@NO_DEADLINE
@given(
    st.tuples(st.floats(1e-8, 1 - 1e-8), st.floats(1e-8, 1 - 1e-8)),
    st.tuples(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3)),
)
def test_one_trade_keeps_weight_and_both_expectations_and_settles_one(share, weight):
    p, w = np.array(share), np.array(weight)
    up, down = trade_once(p, w, 0.0), trade_once(p, w, np.nextafter(1.0, 0.0))
    gain = min(1 - p[0], w[1] * p[1] / w[0])
    loss = min(p[0], w[1] * (1 - p[1]) / w[0])
    chance = loss / (gain + loss)
    assert chance * up + (1 - chance) * down == pytest.approx(p, rel=1e-9, abs=1e-12)
    for result in (up, down):
        assert w @ result == pytest.approx(w @ p, rel=1e-9)
        assert {0.0, 1.0} & set(result.tolist())


def test_with_the_last_item_always_up_the_marginals_are_not_the_fractions(means):
    # p = (0.3, 0.4), w = (1, 1): the first gains 0.4 with probability 0.3/0.7 and then goes up as
    # the last item; otherwise it is 0 and the second (0.7) goes up.  So (0.4286, 0.5714): P1 fails.
    assert means([0.3, 0.4], [1, 1]) == pytest.approx([3 / 7, 4 / 7], abs=1e-12)


def test_unequal_weights_push_the_last_item_up_whatever_its_fraction(means):
    # p = (0.3, 0.4), w = (1, 3): the first goes to 1 (p2 = 1/6) or to 0 (p2 = 1/2); then p2 -> 1.
    assert means([0.3, 0.4], [1, 3]) == pytest.approx([0.3, 1.0], abs=1e-12)


def test_weightless_entries_are_bernoulli_draws(means):
    # The printed trade would divide by their weight.
    assert means([0.25, 0.6], [0, 0]) == pytest.approx([0.25, 0.6], abs=1e-12)


def test_the_generator_s_draws_have_the_expected_marginals(means):
    # Standard error of a mean of 2,000 draws is at most 0.012; 0.06 is five of them.
    exact = means([0.3, 1.45, 0.8], [1, 3, 7])
    rng = np.random.default_rng(5)
    draw = functools.partial(round_keeping_weight, rng=rng)
    drawn = [draw([0.3, 1.45, 0.8], [1, 3, 7]) for _ in range(2_000)]
    assert np.mean(drawn, axis=0) == pytest.approx(exact, abs=0.06)


def test_weightless_entries_leave_the_weight_of_the_others_alone():
    rng = np.random.default_rng(3)
    for _ in range(200):
        rounded = round_keeping_weight([0.5, 0.25, 0.5], [2, 0, 2], rng)
        assert rounded[0] + rounded[2] == 1


def test_integers_draw_nothing():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    assert round_keeping_weight([0, 2, 3.0], [1, 1, 1], rng).tolist() == [0, 2, 3]
    assert rng.bit_generator.state == before


def test_extreme_weights_terminate():
    rng = np.random.default_rng(0)
    rounded = round_keeping_weight(np.full(40, 0.5), np.logspace(-150, 150, 40), rng)
    assert set(rounded.tolist()) <= {0, 1}


@pytest.mark.parametrize(
    ("fractional", "weight"),
    [([0.5], [1, 1]), ([-0.5], [1]), ([0.5], [-1]), ([np.nan], [1]), ([0.5], [np.inf]),
     ([[0.5]], [[1]]), (0.5, 1)],
)  # fmt: skip
def test_nonsense_is_refused(fractional, weight):
    with pytest.raises(ValueError, match="weight"):
        round_keeping_weight(fractional, weight, np.random.default_rng(0))


def test_noise_around_integers_disappears():
    assert snap([1.0000004, 1.9999995, -3e-8, 0.5]).tolist() == [1.0, 2.0, 0.0, 0.5]


def test_missing_workers_are_given_back_to_the_fractional_sites():
    # 1 + 0.6 + 0.3999 < 2: the fractional part 0.9999 is scaled to 1, the whole worker stays.
    row = snap_workers([[1.0, 0.6, 0.3999]], [2])[0]
    assert row[0] == 1.0
    assert row.sum() == pytest.approx(2.0, abs=1e-15)
    assert row[1] / row[2] == pytest.approx(0.6 / 0.3999)


def test_whole_workers_that_are_too_few_become_fractional():
    # Only whole entries are left, so all of them are scaled.
    assert snap_workers([[1.0, 1.0]], [3])[0].tolist() == [1.5, 1.5]


def test_noise_above_the_need_is_taken_off_so_that_it_is_not_rounded_up():
    # Without this the last item, 4e-7, would become a whole worker.
    row = snap_workers([[0.5, 0.5000004]], [1])
    assert row.sum() == pytest.approx(1.0, abs=1e-15)
    rng = np.random.default_rng(0)
    assert {int(round_jobs(row, rng).sum()) for _ in range(100)} == {1}


def test_a_job_without_need_may_have_no_worker():
    assert snap_workers([[0.0, 0.0]], [0]).tolist() == [[0.0, 0.0]]


def test_no_workers_at_all_is_not_noise():
    with pytest.raises(ValueError, match="needs 2 workers has none"):
        snap_workers([[0.0, 0.0]], [2])


def test_noise_is_what_lies_within_the_tolerance_of_each_side(monkeypatch):
    # a quarter counts as noise: 0.75 and 1.25 are on the border and move, 0.5 is not
    monkeypatch.setattr("farkas.rounding.workers.WHOLE", 0.25)
    assert snap([0.75, 1.25, 0.5, 1.5, -0.5]).tolist() == [1, 1, 0.5, 1.5, 0]


def test_a_surplus_of_a_tolerance_per_site_is_noise_and_more_is_not(monkeypatch):
    # two sites, a quarter each: a total of 1.5 comes down to 1 (fractions 0.75 scaled by 2/3)
    monkeypatch.setattr("farkas.rounding.workers.WHOLE", 0.25)
    assert snap_workers([[0.625, 0.625]], [1]).tolist() == [[0.5, 0.5]]
    monkeypatch.setattr("farkas.rounding.workers.WHOLE", 0.0625)
    assert snap_workers([[0.6875, 0.875]], [1]).tolist() == [[0.6875, 0.875]]


def test_a_surplus_of_a_tolerance_at_every_site_is_noise_of_all_of_them():
    # five sites of 0.4 and half a tolerance more each: 2.5 tolerances above 2 in all
    row = snap_workers([[0.4 + WHOLE / 2] * 5], [2])[0]
    assert row.sum() == pytest.approx(2.0, abs=1e-15)
    more = snap_workers([[0.4 + 1.1 * WHOLE] * 5], [2])[0]
    assert more.sum() - 2.0 == pytest.approx(5.5 * WHOLE)
