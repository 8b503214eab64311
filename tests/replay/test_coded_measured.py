"""What plans guarantee by measured times, against sets of workers in exact arithmetic."""

import types
from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.coded import Measured
from farkas.replay.base import Kept
from farkas.replay.coded import replay
from farkas.replay.coded_measured import (
    MeasuredSender,
    guaranteed_time,
    replay_measured,
    require_margins,
)
from tests.generators.coded import measured_computing
from tests.references.coded_measured import time_of


def drawn(seed, size=40):
    rng = np.random.default_rng(seed)
    times = [np.round(rng.uniform(1, 3, size), 2).tolist() for _ in range(2)]
    return measured_computing(times, law=[[0, 1, 0, 1, 1]], rows=7, confidence=0.5)


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_replayed_as_sets_of_workers_are_added_up(seed):
    data = drawn(seed)
    rng = np.random.default_rng(seed)
    loads = rng.integers(0, 8, (1, 5))
    share = np.where(rng.random((1, 5)) < 0.7, 1.0, 0.75)
    kept = Kept()
    found = replay_measured(data, share.tolist(), loads.astype(float).tolist(), kept)
    want = time_of(data, 0, loads[0].tolist(), share[0].tolist())
    if want is None:
        assert ["never guarantee master 0 its 7 rows" in words for words in kept.broken] == [True]
    else:
        assert not kept.broken
        assert found.low == found.high == want


def test_loads_with_a_common_part_are_counted_in_it():
    data = drawn(0)
    small, large = (
        replay_measured(
            data.replace(masters=[{"rows": rows}]), [[1.0] * 5], [[load] * 5], Kept()
        ).high
        for rows, load in ((2, 1.0), (2000, 1000.0))
    )
    assert large == 1000 * small
    # of loads of 4, two are needed for 7 rows
    data, loads = drawn(0), [4, 4, 0, 0, 0]
    found = replay_measured(data, [[1.0] * 5], [[float(load) for load in loads]], Kept())
    assert found.low == found.high == time_of(data, 0, loads, [1.0] * 5)


def test_a_time_is_reached_when_the_last_needed_load_is_back():
    # one worker whose load of 3 is back at 6 or 9: G = 1/2 - 1/10 at 6, 1 - 1/10 at 9
    sender = MeasuredSender(3, Fraction(1), [Fraction(6), Fraction(9)], Fraction(1, 10))
    assert sender.chances(Fraction(6))[0] == pytest.approx(0.4)
    assert sender.chances(Fraction(6) - Fraction(1, 10**30)) == (0.0, 0.0)
    assert guaranteed_time(3, [sender], Fraction(39, 100)) == (6, 6)
    assert guaranteed_time(3, [sender], Fraction(41, 100)) == (9, 9)
    assert guaranteed_time(3, [sender], Fraction(91, 100)) is None
    assert guaranteed_time(4, [sender], Fraction(1, 100)) is None
    # 0.4 is no double: the enclosure holds both times
    assert guaranteed_time(3, [sender], Fraction(2, 5)) == (6, 9)


@pytest.mark.parametrize("tenths", range(1, 10))
def test_chances_are_enclosed_by_doubles(tenths):
    sender = MeasuredSender(1, Fraction(1, 3), [Fraction(6)], Fraction(tenths, 10))
    low, high = sender.chances(Fraction(6))
    assert Fraction(low) < Fraction(10 - tenths, 30) < Fraction(high)


def test_a_plan_is_as_late_as_its_latest_master_whatever_their_order():
    times = [[1.0] * 40, [3.0] * 40]
    for law in ([[0, None], [None, 1]], [[1, None], [None, 0]]):
        data = measured_computing(times, law=law, rows=2, confidence=0.5)
        found = replay_measured(data, [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]], Kept())
        assert found.low == found.high == 6


def test_what_is_no_plan_by_measured_times_is_said():
    kept = Kept()
    replay_measured(library.load("coded/tiny"), [[1.0]], [[1.0]], kept)
    assert kept.broken == ["the instance holds no measured times"]
    kept = Kept()
    replay_measured(drawn(0), [[1.0] * 5], [[1.5] * 5], kept)
    assert kept.broken == ["a load is no whole number of rows"]


def test_the_value_says_with_what_confidence_it_holds():
    plan = {"share": [[1.0] * 5], "loads": [[7.0] * 5]}
    run = types.SimpleNamespace(
        algorithm="coded.distribution_free", kind="coded", options={}, decisions=[plan]
    )
    found = replay(drawn(0), run)
    assert found == replay_measured(drawn(0), **plan, kept=Kept())
    assert found.high > 0
    assert found.note.startswith("With confidence 0.5 every master")
    assert "probability 0.7 at least" in found.note
    assert "bands of 2 laws together" in found.note


@pytest.mark.parametrize(("size", "confidence"), [(1, 0.5), (7, 0.5), (30, 0.95), (999, 1 - 1e-9)])
def test_bands_are_as_wide_as_their_confidence_needs_and_hardly_wider(
    monkeypatch, size, confidence
):
    measured = Measured(confidence=confidence, times=((1.0,) * size,) * 3, law=((0,),))
    require_margins(measured)
    exact = measured.margins
    narrow = [margin * (1 - 1e-11) for margin in exact]
    monkeypatch.setattr(Measured, "margins", property(lambda self: narrow))
    with pytest.raises(NotACertificate, match="too narrow"):
        require_margins(measured)


def test_no_plan_is_replayed_in_bands_that_are_too_narrow(monkeypatch):
    data = drawn(0)
    monkeypatch.setattr(Measured, "margins", property(lambda self: [0.01, 0.01]))
    with pytest.raises(NotACertificate, match="too narrow"):
        replay_measured(data, [[1.0] * 5], [[7.0] * 5], Kept())


@pytest.mark.slow
def test_what_is_guaranteed_holds_as_often_as_stated():
    """Draw samples 400 times from a known law: the time holds under it in at least 80 %."""
    loads, share = [[5.0, 5.0, 5.0, 5.0]], [[1.0] * 4]
    missed = {True: 0, False: 0}
    for seed in range(400):
        times = np.random.default_rng(seed).uniform(1, 2, 25)
        data = measured_computing([times.tolist()], law=[[0] * 4], confidence=0.8)
        for band in (True, False):
            margin = data.measured.margins[0] if band else 0.0
            senders = [
                MeasuredSender(
                    5, Fraction(1), sorted(5 * Fraction(x) for x in times), Fraction(margin)
                )
            ] * 4
            found = guaranteed_time(10, senders, Fraction(data.success_probability))
            if found is None:
                continue  # nothing is claimed
            p = min(max(float(found[1]) / 5 - 1, 0.0), 1.0)  # uniform on [1, 2]
            # two of four loads are enough
            true = 1 - (1 - p) ** 4 - 4 * p * (1 - p) ** 3
            missed[band] += true < data.success_probability
    assert replay_measured(data, share, loads, Kept()).high > 0
    assert missed[True] <= 80
    # without the band the same count is far above: the test can fail
    assert missed[False] > 80
