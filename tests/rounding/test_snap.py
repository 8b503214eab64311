"""Noise of solvers is taken off fractional workers before they are rounded."""

import numpy as np
import pytest

from farkas.rounding.snap import snap, snap_workers
from farkas.rounding.workers import round_jobs


def test_noise_around_integers_disappears():
    assert snap([1.0000004, 1.9999995, -3e-8, 0.5]).tolist() == [1.0, 2.0, 0.0, 0.5]


def test_a_fraction_further_away_stays():
    assert snap([1.00001]).tolist() == [1.00001]


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


def test_a_real_surplus_is_kept():
    assert snap_workers([[0.75, 0.75]], [1])[0].tolist() == [0.75, 0.75]


def test_a_job_without_need_may_have_no_worker():
    assert snap_workers([[0.0, 0.0]], [0]).tolist() == [[0.0, 0.0]]


def test_no_workers_at_all_is_not_noise():
    with pytest.raises(ValueError, match="needs 2 workers has none"):
        snap_workers([[0.0, 0.0]], [2])


def test_noise_is_what_lies_within_the_tolerance_of_each_side():
    # a quarter counts as noise: 0.75 and 1.25 are on the border and move, 0.5 is not
    assert snap([0.75, 1.25, 0.5, 1.5, -0.5], tolerance=0.25).tolist() == [1, 1, 0.5, 1.5, 0]


def test_a_surplus_of_a_tolerance_per_site_is_noise_and_more_is_not():
    # two sites, a quarter each: a total of 1.5 comes down to 1 (fractions 0.75 scaled by 2/3)
    assert snap_workers([[0.625, 0.625]], [1], tolerance=0.25).tolist() == [[0.5, 0.5]]
    assert snap_workers([[0.6875, 0.875]], [1], tolerance=0.0625).tolist() == [[0.6875, 0.875]]


def test_no_jobs_stay_no_jobs():
    assert snap_workers(np.zeros((0, 2)), np.zeros(0, int)).shape == (0, 2)


def test_a_surplus_of_a_tolerance_at_every_site_is_noise_of_all_of_them():
    # five sites of 0.4 and half a tolerance more each: 2.5 tolerances above 2 in all
    tolerance = 1e-3
    row = snap_workers([[0.4 + tolerance / 2] * 5], [2], tolerance)[0]
    assert row.sum() == pytest.approx(2.0, abs=1e-15)
    more = snap_workers([[0.4 + 1.1 * tolerance] * 5], [2], tolerance)[0]
    assert more.sum() == pytest.approx(2.0 + 5.5 * tolerance)
