"""Certificates of single slots: what they prove, and that tampering is found."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.gadget_slot import certify_slot
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.utilities import (
    Sqrt,
)
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.online.gadget.bounds import slot_certificate
from farkas.proofs.gadget.small import random_clusters
from farkas.solvers import solve
from tests.certificates.test_gadget import reward


def test_slot_certificates_prove_the_relaxation_over_rings_on_trees():
    for cluster in random_clusters(15, 3, network="tree", servers=4, jobs=4):
        proof = check(slot_certificate(cluster), instance=cluster)
        value = solve(ColumnLP().form(cluster)).require_optimal().objective
        assert float(proof.bound) == pytest.approx(value, rel=2e-6, abs=1e-6)


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_any_slot_prices_bound_the_best_slot(network):
    rng = np.random.default_rng(1)
    for cluster in random_clusters(12, 4, network=network, servers=3, jobs=3):
        progress = rng.integers(0, 3, size=cluster.num_jobs)
        best = FeasibleCounts.of(cluster).best(1, progress)[0]
        node = rng.random(cluster.capacity.shape) * cluster.is_server[:, None]
        certificate = certify_slot(cluster, 1, progress, node, rng.random(cluster.num_links))
        assert float(check(certificate, instance=cluster).bound) >= best - 1e-9


def test_a_proof_says_which_slot_and_progress_it_is_about():
    """With its budget spent no job gains: 0 is true of that slot, not of the instance's own."""
    cluster = library.load("gadget/budget_of_two")
    own = check(slot_certificate(cluster), instance=cluster)
    assert own.program == "gadget.gvne"
    assert own.bound > 0
    spent = check(slot_certificate(cluster, 1, np.array([2])), instance=cluster)
    assert spent.bound == 0
    assert spent.program == "gadget.gvne in slot 1 after 2 worker-slots"
    assert cluster.at_slot == 0
    later = check(slot_certificate(cluster, 1, np.array([0])), instance=cluster)
    assert later.program == "gadget.gvne in slot 1"
    begun = check(slot_certificate(cluster, 0, np.array([1])), instance=cluster)
    assert begun.program == "gadget.gvne in slot 0 after 1 worker-slots"


@pytest.mark.parametrize(
    ("change", "words"),
    [({"slot": -1}, "no slot -1"), ({"slot": 10**6}, "no slot"), ({"progress": ()}, "progress")],
)
def test_malformed_slot_certificates_are_refused(change, words):
    cluster = library.load("gadget/tiny")
    certificate = msgspec.structs.replace(slot_certificate(cluster), **change)
    with pytest.raises(NotACertificate, match=words):
        check(certificate, instance=cluster)


def test_a_slot_bound_is_rent_plus_the_best_ring_of_every_job():
    rng = np.random.default_rng(4)
    for cluster in random_clusters(30, 9, network="tree", servers=4, jobs=4, concave=False):
        progress = rng.integers(0, 3, size=cluster.num_jobs)
        node = rng.choice([0.0, 0.2, 1.0], cluster.capacity.shape) * cluster.is_server[:, None]
        link = rng.choice([0.0, 0.1, 0.5], cluster.num_links)
        made = certify_slot(cluster, 1, progress, node, link)
        exact = sum(
            (Fraction(a) * Fraction(b) for a, b in
             [*zip(cluster.capacity.ravel().tolist(), node.ravel().tolist(), strict=True),
              *zip(cluster.link_bandwidth.tolist(), link.tolist(), strict=True)]),
            Fraction(0),
        )  # fmt: skip
        limit = np.where(cluster.active(1, progress), cluster.ring_limit(progress), 0)
        rings = enumerate_rings(cluster, limit)
        best = [Fraction(0)] * cluster.num_jobs
        for k in range(len(rings.job)):
            i, size, z = int(rings.job[k]), int(rings.size[k]), int(progress[rings.job[k]])
            unit = [
                sum(Fraction(d) * Fraction(p) for d, p in zip(demand, row, strict=True))
                for demand, row in zip([cluster.demand[i].tolist()] * len(node), node.tolist(),
                                       strict=True)
            ]  # fmt: skip
            cost = sum(int(n) * p for n, p in zip(rings.workers[k], unit, strict=True))
            edge = Fraction(float(cluster.bandwidth[i]))
            cost += sum(int(n) * edge * Fraction(p) for n, p in
                        zip(rings.flow[k], link.tolist(), strict=True))  # fmt: skip
            best[i] = max(best[i], reward(cluster, i, z + size) - reward(cluster, i, z) - cost)
        exact += sum(best)
        assert exact <= Fraction(made.bound) <= exact + Fraction(1, 10**9)


def test_the_first_and_the_last_slot_are_slots_and_the_next_is_none():
    cluster = library.load("gadget/tiny")
    made = slot_certificate(cluster)
    for slot in (0, cluster.horizon - 1):
        changed = msgspec.structs.replace(made, slot=slot, bound="1000")
        assert check(changed, instance=cluster).bound == 1000
    for change in ({"slot": cluster.horizon}, {"progress": (0, -1)}, {"progress": (0, 0, 0)}):
        with pytest.raises(NotACertificate, match=r"no slot|one count"):
            check(msgspec.structs.replace(made, **change), instance=cluster)


@pytest.mark.parametrize("seventh", range(1, 60))
def test_irrational_gains_are_bounded_from_above(seventh):
    # one job on free servers gains sqrt(3 e) - sqrt(2 e) with its third worker-slot; to 80 digits
    cluster, each = library.load("gadget/one_gpu"), seventh / 7.0
    job = msgspec.structs.replace(cluster.jobs[0], utility=Sqrt(scale=1.0), efficiency=each)
    cluster = cluster.replace(jobs=[job])
    nodes, links = np.zeros(cluster.capacity.shape), np.zeros(cluster.num_links)
    most = 2 + int(cluster.ring_limit(np.array([2]))[0])
    made = certify_slot(cluster, 0, np.array([2]), nodes, links)
    with mpmath.workdps(80):
        gained = mpmath.sqrt(mpmath.mpf(each) * most) - mpmath.sqrt(mpmath.mpf(each) * 2)
        exact = Fraction(str(gained))
    assert 0 < exact <= made.prove_bound(cluster) <= exact * (1 + Fraction(1, 2**58))
    assert made.prove_bound(cluster) <= Fraction(made.bound) <= exact * (1 + Fraction(1, 2**55))
