"""Quantities of a cluster: shortcuts for large instances give what small ones are enumerated to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.gadget import Timing
from farkas.quantities import evaluate, names
from farkas.quantities import gadget as module
from farkas.quantities.gadget import iteration_times
from tests.generators.gadget import job, star, table

TINY = library.load("gadget/tiny")


def value(key: str) -> float:
    return float(evaluate(TINY, [key])[key])


@pytest.mark.parametrize("program", ["gvne", "column_ip"])
def test_the_compact_program_has_the_same_optimum(program: str) -> None:
    straight = names.program_optimum(f"gadget.{program}", TINY)
    assert value(f"gadget.{program}") == value("gadget.slot_gain") == pytest.approx(straight)


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
    jobs = [job(**table(0, 1), timing=timing, max_workers=2), job(**table(0, 1))]
    found = evaluate(star(2, jobs=jobs), ["gadget.efficiency_by_workers"])
    (rates,) = found["gadget.efficiency_by_workers"]
    assert rates == pytest.approx([1 / 0.82, 1 / 1.82])


def test_idle_jobs_earn_what_no_worker_earns() -> None:
    cluster = star(1, jobs=[job(**table(2, 5)), job(**table(1, 1))])
    found = evaluate(cluster, ["gadget.slot", "gadget.slot_gain"])
    assert found == {"gadget.slot": 3.0 + 2.0 + 1.0, "gadget.slot_gain": 3.0}


def test_schedules_of_large_clusters_are_not_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(*_: object) -> None:
        raise NotApplicable("too many")

    for columns, enough in ((20_000, True), (20_001, False)):
        form = SimpleNamespace(num_columns=columns)
        program = SimpleNamespace(form=lambda instance, form=form: form)
        monkeypatch.setattr(module, "offline_optimum", too_many)
        monkeypatch.setattr(module, "Offline", lambda program=program: program)
        monkeypatch.setattr(module, "optimum", lambda form: 7.0)
        assert evaluate(TINY, ["gadget.offline"]) == ({"gadget.offline": 7.0} if enough else {})
