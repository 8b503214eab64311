"""Rings: rewards by hand, requirements by name, as the environment says, refused when changed."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.online import Run, environments
from farkas.replay import Replay, replay
from farkas.replay.gadget import Ring
from tests.generators.gadget import any_networks, job, over_time, star
from tests.references import gadget_audit, gadget_baselines
from tests.tools.rings import broken


def decided(run: Run, decisions: list[Any]) -> Run:
    return msgspec.structs.replace(run, decisions=decisions, value_exact=None)


def replayed(instance: Cluster, *slots: list[dict[str, Any]]) -> Replay:
    """Replay of slots written by hand."""
    run = farkas.run("gadget/tiny", "gadget.las")
    found = replay(decided(run, list(slots)), instance)
    assert found is not None
    return found


def ring(*workers: tuple[int, int], links: Any = (), job: int = 0) -> dict[str, Any]:
    return {"job": job, "workers": list(workers), "links": list(links)}


UTILITIES: dict[str, tuple[dict[str, Any], float]] = {
    # what four worker-slots of half a unit of progress are worth
    "linear": ({"kind": "linear", "slope": 3.0}, 6.0),
    "sqrt": ({"kind": "sqrt", "scale": 2.0}, 2 * math.sqrt(2)),
    "log1p": ({"kind": "log1p", "scale": 2.0}, 2 * math.log(3)),
    "sigmoid": ({"kind": "sigmoid", "height": 2.0, "steepness": 1.0, "midpoint": 2.0}, 1.0),
    "quadratic_cost": ({"kind": "quadratic_cost", "quadratic": 1.0, "linear": 2.0}, -8.0),
    "table": ({"kind": "table", "values": [0.0, 1.0, 5.0, 9.0], "step": 1.0}, 5.0),
}


@pytest.mark.parametrize("kind", sorted(UTILITIES))
def test_rewards_by_hand(kind: str) -> None:
    utility, worth = UTILITIES[kind]
    one = job(efficiency=0.5, utility=utility)
    instance = star(2, horizon=2, jobs=[one])
    found = replayed(instance, [ring((0, 2))], [ring((0, 2))])
    assert found.low <= found.high
    assert float(found.low) == pytest.approx(worth, rel=1e-15)
    assert found.high - found.low <= abs(found.high) / 10**18
    assert (found.low == found.high) == (kind not in ("sqrt", "log1p", "sigmoid"))
    assert (found.excess, found.broken) == (0, ())


def test_a_job_that_never_runs_is_worth_what_nothing_is() -> None:
    idle = job(utility={"kind": "table", "values": [7.0, 9.0]})
    assert replayed(star(1, jobs=[idle]), []).low == 7


# servers 0 and 1, hub 2; links 2 u and 2 u + 1 lead from server u to the hub and back
ROUND = [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_a_ring_between_servers_needs_a_closed_walk() -> None:
    instance = star(1, 1, jobs=[job()])
    assert not replayed(instance, [ring((0, 1), (1, 1), links=ROUND)]).broken
    for links in (ROUND[:3], [], [(0, 1), (1, 1)], [(0, 2), (1, 1), (2, 1), (3, 1)]):
        found = replayed(instance, [ring((0, 1), (1, 1), links=links)])
        assert "no closed walk through hosts [0, 1]" in found.broken[0]


@pytest.mark.parametrize(
    ("changes", "rings", "words"),
    [
        ({}, [ring((0, 1)), ring((0, 1))], "job 0 runs two rings"),
        ({"arrival": 1}, [ring((0, 1))], "job 0 arrives in slot 1 only"),
        ({}, [ring((0, 3))], "job 0 runs 3 workers, at most 2"),
        ({}, [ring()], "job 0 runs 0 workers, at most 2"),
        ({"demand": [2.0]}, [ring((0, 2))], 'node 0 carries 4 of 3 "gpu"'),
        ({"demand": [1.5001]}, [ring((0, 2))], "node 0 carries"),
        ({"bandwidth": 10.0001}, [ring((0, 1), (1, 1), links=ROUND)], "link 0 carries"),
        ({"demand": [0.0]}, [ring((2, 1))], "workers on node 2, a switch"),
        ({"bandwidth": 11.0}, [ring((0, 1), (1, 1), links=ROUND)], "link 0 carries 11 of 10"),
        ({"budget": [1.0]}, [ring((0, 2))], "receives 2 worker-slots, its budget allows 1"),
    ],
)
def test_what_a_ring_breaks_is_named(
    changes: dict[str, Any], rings: list[dict[str, Any]], words: str
) -> None:
    found = replayed(star(3, 3, jobs=[job(**changes)]), rings)
    assert any(words in said for said in found.broken), found.broken


def test_a_floor_that_was_forgiven_is_an_excess() -> None:
    # three workers of 0.1 need more than 0.3, by half a unit in the last place
    instance = star(0.3, jobs=[job(demand=[0.1], budget=[0.3], max_workers=3)])
    found = replayed(instance, [ring((0, 3))])
    assert not found.broken
    assert found.excess == (3 * F(0.1) - F(0.3)) / F(0.3) > 0


def test_no_worker_more_than_fits_counts_as_a_rounding_error() -> None:
    # two workers exceed a server by a share of 4e-9, which rings together may; but bounds go by one
    # worker a server, which earns nothing
    jump = {"kind": "table", "values": [0.0, 0.0, 100.0], "step": 1.0}
    instance = star(2.0, jobs=[job(demand=[1 + 4e-9], max_workers=2, utility=jump)])
    found = replayed(instance, [ring((0, 2))])
    assert found.broken == ("slot 0: job 0 has 2 workers on node 0, which holds fewer",)
    assert "which holds fewer" in replayed(instance, [ring((0, 1), (0, 1))]).broken[0]
    # nor may 1000 worker-slots exceed a budget by half a billionth, where bounds go by 999
    saved = job(demand=[1.0], budget=[1000 - 5e-7], max_workers=1000)
    found = replayed(star(1000.0, jobs=[saved]), [ring((0, 1000))])
    assert found.broken == ("job 0 receives 1000 worker-slots, its budget allows 999",)
    bound = farkas.run(instance, "gadget.fifo").certificate
    assert bound is not None
    assert bound.fraction < 1
    one = job(demand=[1 + 4e-9])
    together = replayed(star(2.0, jobs=[one, one]), [ring((0, 1)), ring((0, 1), job=1)])
    assert not together.broken
    assert 0 < together.excess < F(5, 10**9)


def test_no_link_is_used_more_often_than_it_carries() -> None:
    for room, wrong in ((1.0, False), (1 - 5e-10, False), (1 - 5e-9, True)):
        two = job(max_workers=2, bandwidth=1.0)
        instance = star(1.0, 1.0, bandwidth=room, jobs=[two])
        uses = [(link, 1) for link in range(instance.num_links)]
        found = replayed(instance, [ring((0, 1), (1, 1), links=uses)])
        assert any("which carries fewer" in words for words in found.broken) == wrong
        assert bool(found.broken) == wrong


@pytest.mark.parametrize("seed", range(60))
def test_any_rings_that_break_nothing_are_priced_as_by_the_environment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    jobs = [
        job(arrival=int(rng.integers(2)), demand=[float(rng.choice([0.1, 1.0]))],
            budget=[[None], [2.0]][rng.integers(2)], bandwidth=float(rng.integers(1, 8)),
            utility=UTILITIES[sorted(UTILITIES)[rng.integers(6)]][0])
        for _ in range(3)
    ]  # fmt: skip
    instance = star(1, 2, 0.3, horizon=2, jobs=jobs)
    slots = []
    for _ in range(2):
        rings = []
        for which in rng.permutation(3)[: rng.integers(3)].tolist():
            hosts = rng.permutation(3)[: rng.integers(1, 3)].tolist()
            links = [(2 * u + back, 1) for u in hosts for back in (0, 1)] * (len(hosts) > 1)
            if links and rng.random() < 0.1:
                links.pop()
            rings.append(Ring(job=which, workers=tuple((u, 1) for u in hosts), links=tuple(links)))
        slots.append(rings)
    outcome = environments["gadget"].evaluate(instance, slots)
    found = replayed(instance, *msgspec.to_builtins(slots))
    if not found.broken:
        assert float(found.low) == pytest.approx(outcome.total, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "slots",
    [
        [],
        [[], []],
        [[ring((0, 1), job=1)]],
        [[ring((0, 1), job=-1)]],
        [[ring((9, 1))]],
        [[ring((-1, 1))]],
        [[ring((0, 1), (1, -1))]],
        [[ring((0, 1), links=[(4, 1)])]],
        [[ring((0, 1), links=[(0, -1)])]],
        [[{"job": 0}]],
        [[{**ring((0, 1)), "more": 1}]],
        [None],
        [[ring((0, 0.5))]],
        [[ring((0, 10**400))]],
    ],
)
def test_decisions_of_another_shape_are_refused(slots: list[Any]) -> None:
    with pytest.raises(NotACertificate):
        replayed(star(1, 1, jobs=[job()]), *slots)


WORDS = {
    "two rings": r"job (\d+) runs two rings",
    "early": r"job (\d+) arrives in slot \d+ only",
    "size": r"job (\d+) runs \d+ workers, at most \d+",
    "switch": r"job (\d+) has workers on node \d+, a switch",
    "walk": r"job (\d+) has links that are no closed walk .*",
    "alone": r"job (\d+) (?:has|uses) .* fewer",
    "node": r"node (\d+) carries .*",
    "link": r"link (\d+) carries .*",
    "budget": r"job (\d+) receives .*",
}
#: Rules that the independent judge does not know.
MORE = ("alone", "budget")


def named(words: str) -> tuple[str, int]:
    """Name of the rule, and the job, node or link."""
    return next(
        (rule, int(found[1]))
        for rule, form in WORDS.items()
        if (found := re.fullmatch(r"(?:slot \d+: )?" + form, words))
    )


def any_ring(cluster: Cluster, rng: np.random.Generator) -> Ring:
    """A ring on a way round its hosts where there is one, now and then spoiled."""
    of = int(rng.integers(cluster.num_jobs))
    nodes = range(cluster.num_nodes)
    workers = {u: int(rng.integers(0, 3)) for u in rng.permutation(nodes)[:3].tolist()}
    hosts = sorted(u for u, count in workers.items() if count)
    idle, uses = gadget_baselines.EmptySlot(cluster), Counter[int]()
    for start, end in itertools.pairwise([*hosts, *hosts[:1]]):
        uses.update(idle.path(of, start, end) or [])
    links = list(uses.items())
    if links and rng.random() < 0.3:
        place = int(rng.integers(len(links)))
        link, times = links[place]
        links[place : place + 1] = [[], [(link, times + 1)], [(link, times)] * 2][rng.integers(3)]
    return Ring(job=of, workers=tuple(sorted(workers.items())), links=tuple(links))


def test_on_every_network_every_broken_rule_is_named_and_no_other() -> None:
    kept, seen = 0, Counter[str]()
    for number, network in enumerate(any_networks(250, 17)):
        cluster, rng = over_time(network, number), np.random.default_rng(number)
        slot = int(rng.integers(4))
        rings = [any_ring(cluster, rng) for _ in range(rng.integers(1, 4))]
        wanted = gadget_audit.broken(cluster, slot, rings)
        said = Counter(map(named, broken(cluster, slot, rings)))
        assert Counter({each: n for each, n in said.items() if each[0] not in MORE}) == wanted
        seen.update(rule for rule, _ in wanted)
        kept += not wanted
    assert min(seen[rule] for rule in WORDS if rule not in MORE) > 4
    assert kept > 4
