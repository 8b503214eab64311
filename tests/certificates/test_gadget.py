"""Certificates of kind gadget: what they prove, and that tampering is found."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, from_json, to_json
from farkas.certificates.gadget import HorizonCertificate, certify_horizon, certify_slot
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.online.driver import drive
from farkas.online.gadget.bounds import horizon_certificate, run_certificate, slot_certificate
from farkas.online.gadget.environment import Ring
from farkas.online.gadget.gadget import Gadget
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.horizon import OfflineBound
from farkas.solvers import solve


def test_horizon_certificates_prove_the_linear_bound_and_hold_above_the_optimum():
    for concave in (True, False):
        for cluster in random_clusters(15, 1, network="any", concave=concave):
            certificate = from_json(to_json(horizon_certificate(cluster)))
            proof = check(certificate, instance=cluster)
            relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
            best = offline_optimum(FeasibleCounts.of(cluster))[0]
            assert float(proof.bound) >= best - 1e-12
            assert float(proof.bound) <= relaxed + 1e-6 * (1 + abs(relaxed))


def test_any_nonnegative_prices_prove_a_bound():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(15, 2, network="any", concave=False):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        servers = np.flatnonzero(cluster.is_server)
        prices = rng.random((1, len(servers), cluster.num_resources)) * 3
        certificate = certify_horizon(
            cluster, np.array([0]), [np.array([u]) for u in servers], prices
        )
        assert Fraction(certificate.bound) >= Fraction(best)


def test_prices_of_a_run_bound_the_optimum_but_never_below_the_relaxed_horizon():
    for cluster in random_clusters(15, 8, network="any", concave=False):
        run = drive(Gadget(prices="run"), cluster)
        proof = check(
            msgspec.convert(run.certificate.certificate, HorizonCertificate), instance=cluster
        )
        assert str(proof.bound) == str(Fraction(run.certificate.exact))
        assert float(proof.bound) >= offline_optimum(FeasibleCounts.of(cluster))[0] - 1e-9
        relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
        assert float(proof.bound) >= relaxed - 1e-6 * (1 + abs(relaxed))


def test_prices_of_a_run_are_averaged_over_the_slots_of_a_block():
    """One GPU, two jobs, rewards 4, 6, 7 after 1, 2, 3 worker-slots; equal gains price the GPU.

    Before anything is received it is worth 4; after both jobs ran once (prices do not ask whether
    they fit), 2.  The mean of 4, 4, 2 is 10/3.
    """
    job = {"arrival": 0, "demand": [1], "budget": [None], "max_workers": 1, "bandwidth": 0}
    table = {"kind": "table", "values": [0, 4, 6, 7]}
    jobs = [job | {"efficiency": 1, "utility": table}] * 2
    cluster = library.load("gadget/one_gpu").replace(horizon=3, jobs=jobs)
    both = [Ring(job=i, workers=((0, 1),)) for i in (0, 1)]
    certificate = run_certificate(cluster, [[], both, []])
    assert certificate.prices[0][0][0] == pytest.approx(10 / 3)
    # rent 3 x 10/3, and each job keeps 4 - 10/3 of its first worker-slot
    assert float(Fraction(certificate.bound)) == pytest.approx(10 + 2 * (4 - 10 / 3))


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


def test_a_claim_better_than_its_prices_is_found():
    cluster = library.load("gadget/tiny")
    for certificate in (horizon_certificate(cluster), slot_certificate(cluster)):
        lower = Fraction(certificate.bound) - Fraction(1, 1000)
        forged = msgspec.structs.replace(certificate, bound=str(lower))
        with pytest.raises(NotACertificate, match="its numbers prove"):
            check(forged, instance=cluster)


def test_certificates_of_another_instance_prove_nothing():
    cluster = library.load("gadget/tiny")
    certificate = horizon_certificate(cluster)
    with pytest.raises(NotACertificate, match="hashes to"):
        check(certificate, instance=cluster.replace(horizon=3))
    with pytest.raises(NotACertificate, match="give it"):
        check(certificate)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"starts": (1,)}, "do not cut the horizon"),
        ({"starts": (0, 0)}, "do not cut the horizon"),
        ({"classes": ((0,), (1, 0))}, "no partition"),
        ({"classes": ((0, 1),)}, "equal capacities"),
        ({"prices": (((1.0,),),)}, "another shape"),
    ],
)
def test_malformed_horizon_certificates_are_refused(change, words):
    cluster = library.load("gadget/tiny")
    certificate = msgspec.structs.replace(horizon_certificate(cluster), **change)
    with pytest.raises(NotACertificate, match=words):
        check(certificate, instance=cluster)


def test_prices_of_one_slot_do_not_bound_the_horizon():
    """A slot earns less than the horizon: renamed, its bound would be a false proof."""
    cluster = library.load("gadget/demo")
    slot, horizon = slot_certificate(cluster), horizon_certificate(cluster)
    assert Fraction(slot.bound) < offline_optimum(FeasibleCounts.of(cluster))[0]
    for certificate, program in ((slot, "gadget.offline"), (horizon, "gadget.gvne")):
        forged = msgspec.structs.replace(certificate, program=program)
        with pytest.raises(NotACertificate, match=f"not {program}"):
            check(forged, instance=cluster)


def test_a_proof_says_which_slot_and_progress_it_is_about():
    """With its budget spent no job gains: 0 is true of that slot, not of the instance's own."""
    cluster = library.load("gadget/budget_of_two")
    own = check(slot_certificate(cluster), instance=cluster)
    assert own.program == "gadget.gvne"
    assert own.bound > 0
    spent = check(slot_certificate(cluster, 1, np.array([2])), instance=cluster)
    assert spent.bound == 0
    assert spent.program == "gadget.gvne in slot 1 after 2 worker-slots"


@pytest.mark.parametrize(
    ("change", "words"),
    [({"slot": -1}, "no slot -1"), ({"slot": 10**6}, "no slot"), ({"progress": ()}, "progress")],
)
def test_malformed_slot_certificates_are_refused(change, words):
    cluster = library.load("gadget/tiny")
    certificate = msgspec.structs.replace(slot_certificate(cluster), **change)
    with pytest.raises(NotACertificate, match=words):
        check(certificate, instance=cluster)


def test_a_price_on_something_unlimited_is_refused():
    cluster = generate("gadget", "small", 1)
    servers = [np.array([u]) for u in np.flatnonzero(cluster.is_server)]
    prices = np.ones((1, len(servers), 2))  # iterations are unlimited on servers
    with pytest.raises(NotACertificate, match="unlimited"):
        certify_horizon(cluster, np.array([0]), servers, prices)


def test_a_negative_price_in_a_file_is_refused():
    from farkas.errors import FileProblem

    text = to_json(horizon_certificate(library.load("gadget/tiny")))
    data = msgspec.json.decode(text)
    data["prices"][0][0][0] = -1.0
    with pytest.raises(FileProblem, match=r"prices"):
        from_json(msgspec.json.encode(data))


def test_published_size_is_proved_as_tightly_as_the_linear_program_says():
    cluster = generate("gadget", "published", 1)
    relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
    bound = float(Fraction(horizon_certificate(cluster).bound))
    assert math.isclose(bound, relaxed, rel_tol=1e-9)
