"""Quantities of a cluster: shortcuts for large instances give what small ones are enumerated to."""

from __future__ import annotations

import pytest

from farkas.instances import library
from farkas.instances.gadget import Timing
from farkas.quantities import evaluate
from farkas.quantities import gadget as module
from farkas.quantities.gadget import iteration_times

TINY = library.load("gadget/tiny")


def value(key: str) -> float:
    return float(evaluate(TINY, [key])[key])


@pytest.mark.parametrize(
    ("limit", "key"), [("SMALL_EMBEDDING", "gadget.gvne"), ("MOST_VECTORS", "gadget.slot_gain")]
)
def test_the_compact_program_has_the_same_optimum(
    limit: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    straight = value(key)
    monkeypatch.setattr(module, limit, 0)
    assert value(key) == pytest.approx(straight, rel=1e-9)


def test_a_slot_is_its_gain_and_the_rewards_of_idle_jobs() -> None:
    # three workers of job 0: sqrt(27) = 5.196; the active jobs get 0 for nothing
    idle = float(TINY.idle_reward[TINY.active(TINY.at_slot)].sum())
    assert value("gadget.slot_gain") == pytest.approx(27**0.5)
    assert value("gadget.slot") == pytest.approx(value("gadget.slot_gain") + idle)
    assert evaluate(TINY, ["gadget.slot_counts"])["gadget.slot_counts"] == [3, 0]


def test_rules_earn_no_more_than_the_optimum_and_greedy_slots() -> None:
    best = value("gadget.offline")
    assert value("gadget.greedy_exact") <= best
    assert value("gadget.fifo") == value("gadget.las") < value("gadget.drf") <= best
    assert value("gadget.greedy_exact") <= value("gadget.offline_rounded") <= best * (1 + 1e-12)


def test_iteration_time_of_one_worker_has_no_ring_term():
    timing = Timing(
        gradient_size=3,
        bandwidth=4,
        compute_speed=6,
        forward_time_per_sample=0.02,
        batch_size=16,
        backward_time=0.4,
        overhead=0.1,
    )
    # t_f M + t_b + γ = .32 + .4 + .1;  d/2 (2/4 + 1/6) = 1 more with two workers
    assert iteration_times(timing, 2).tolist() == pytest.approx([0.82, 1.82])
