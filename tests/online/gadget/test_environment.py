"""What decisions of ring schedulers are worth, and what they break; no scheduler breaks any."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from farkas.online import algorithms
from farkas.online.gadget.environment import (
    Environment,
    Ring,
    broken,
    received,
    totals,
)
from farkas.proofs.gadget.relaxed import random_clusters
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_audit, gadget_baselines

RUNS = [
    ("gadget.fifo", {}),
    ("gadget.las", {}),
    ("gadget.drf", {}),
    ("gadget.greedy_exact", {}),
    ("gadget.gadget", {}),
    ("gadget.gadget", {"gains": "envelope"}),
    ("gadget.gadget", {"slots": "exact"}),
    ("gadget.gadget", {"slots": "lp_rs_mde", "rounds": 20}),
    ("gadget.lp_rs_mde", {"rounds": 20}),
    ("gadget.gadget", {"slots": "lp_rs_mde", "rounding": "milp"}),
]


@pytest.mark.ids(5)
@pytest.mark.parametrize(("name", "options"), RUNS, ids=str)
def test_runs_are_feasible_and_below_their_certified_bound(name, options):
    for cluster in random_clusters(6, 1, network="any", servers=3, jobs=4, resources=2):
        run = algorithms[name].run(cluster, **options)
        assert run.violations == []
        assert run.value <= float(run.certificate) + 1e-9


def test_nobody_to_schedule_is_worth_nothing():
    cluster = star(1, horizon=2)
    for name, options in RUNS:
        run = algorithms[name].run(cluster, **options)
        assert run.value == 0.0
        assert run.ratio == 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"job": 1}, "there is no job 1"),
        ({"job": -1}, "there is no job -1"),
        ({"workers": ((9, 1),)}, "job 0 uses node 9 1 times"),
        ({"workers": ((0, -1),)}, "job 0 uses node 0 -1 times"),
        ({"links": ((4, 1),)}, "job 0 uses link 4 1 times"),
        ({"links": ((-1, 1),)}, "job 0 uses link -1 1 times"),
    ],
)
def test_what_the_cluster_does_not_have_is_a_violation_and_worth_nothing(change, words):
    cluster = star(1, 1, jobs=[job()])
    ring = Ring(**{"job": 0, "workers": ((0, 1),), **change})
    outcome = Environment().evaluate(cluster, [[ring]])
    assert outcome.violations == [f"slot 0: {words}"]
    assert np.isnan(outcome.total)


def test_a_budget_exceeded_over_time_is_a_violation():
    cluster = star(1, horizon=2, jobs=[job(budget=[1])])
    ring = [Ring(job=0, workers=((0, 1),))]
    outcome = Environment().evaluate(cluster, [ring, ring])
    assert outcome.violations == ["job 0 receives 2 worker-slots, its budget allows 1"]


def test_a_slot_is_worth_what_it_adds():
    # sqrt: 1, then sqrt 3 - 1
    cluster = star(4, horizon=2, jobs=[job(utility={"kind": "sqrt", "scale": 1})])
    rings = [[Ring(job=0, workers=((0, 1),))], [Ring(job=0, workers=((0, 2),))]]
    found = Environment().evaluate(cluster, rings)
    assert [slot["reward"] for slot in found.costs] == pytest.approx([1.0, np.sqrt(3) - 1])
    assert found.total == pytest.approx(np.sqrt(3))
    assert found.numbers == {"rings": 2.0, "worker_slots": 3.0}
    assert received(cluster, rings).tolist() == [[0], [1], [3]]


def test_totals_slot_by_slot_are_those_of_all_jobs_to_the_last_bit():
    rng = np.random.default_rng(4)
    for cluster in any_networks(30, 17):
        steps = rng.integers(0, 3, (5, cluster.num_jobs)) * (rng.random((5, 1)) < 0.7)
        given = np.concatenate([np.zeros((1, cluster.num_jobs)), steps]).cumsum(axis=0)
        assert totals(cluster, given) == [cluster.total_reward(z) for z in given]


def test_an_overfull_link_is_named_and_rounding_is_forgiven():
    cluster = star(1, 1, bandwidth=1, jobs=[job(bandwidth=1 + 5e-9)])
    ring = Ring(job=0, workers=((0, 1), (1, 1)), links=((0, 1), (1, 1), (2, 1), (3, 1)))
    assert broken(cluster, 0, [ring]) == []
    wide = star(1, 1, bandwidth=1, jobs=[job(bandwidth=1.5)])
    assert broken(wide, 0, [ring])[0] == "link 0 carries 1.5 of 1 bandwidth"
    assert len(broken(wide, 0, [ring])) == 4


WORDS = {
    "two rings": r"job (\d+) runs two rings",
    "early": r"job (\d+) arrives in slot \d+ only",
    "size": r"job (\d+) runs \d+ workers, at most \d+",
    "switch": r"job (\d+): node \d+ is a switch",
    "walk": r"job (\d+): its links are no closed walk .*",
    "node": r"node (\d+) carries .*",
    "link": r"link (\d+) carries .*",
}


def named(words):
    """Name of the rule, and the job, node or link."""
    return next(
        (rule, int(found[1]))
        for rule, form in WORDS.items()
        if (found := re.fullmatch(form, words))
    )


def any_ring(cluster, rng):
    """A ring on a way round its hosts where there is one, now and then spoiled."""
    of = int(rng.integers(cluster.num_jobs))
    nodes = range(cluster.num_nodes)
    workers = {u: int(rng.integers(0, 3)) for u in rng.permutation(nodes)[:3].tolist()}
    hosts = sorted(u for u, count in workers.items() if count)
    idle, uses = gadget_baselines.EmptySlot(cluster), Counter()
    for start, end in itertools.pairwise([*hosts, *hosts[:1]]):
        uses.update(idle.path(of, start, end) or [])
    links = list(uses.items())
    if links and rng.random() < 0.3:
        place = int(rng.integers(len(links)))
        link, times = links[place]
        links[place : place + 1] = [[], [(link, times + 1)], [(link, times)] * 2][rng.integers(3)]
    return Ring(job=of, workers=tuple(sorted(workers.items())), links=tuple(links))


def test_on_every_network_every_broken_rule_is_named_and_no_other():
    seen, kept = Counter(), 0
    for number, network in enumerate(any_networks(250, 17)):
        cluster, rng = over_time(network, number), np.random.default_rng(number)
        slot = int(rng.integers(4))
        rings = [any_ring(cluster, rng) for _ in range(rng.integers(1, 4))]
        wanted = gadget_audit.broken(cluster, slot, rings)
        assert Counter(named(words) for words in broken(cluster, slot, rings)) == wanted
        seen.update(rule for rule, _ in wanted)
        kept += not wanted
    assert min(seen[rule] for rule in WORDS) > 4
    assert kept > 4
