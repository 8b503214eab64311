"""Prices of a slot as multipliers over all its rings, those of the horizon over its blocks."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, from_json
from farkas.certificates.gadget import certify_horizon
from farkas.certificates.gadget_slot import SharedServers
from farkas.duals.restated import as_linear
from farkas.errors import NotACertificate, UnsupportedForm
from farkas.online.gadget.bounds import horizon_certificate
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.offline_bound import OfflineBound
from farkas.solvers import solve
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds


@pytest.mark.parametrize("k", [0, 1])
def test_the_linear_certificate_proves_as_much(k):
    instance, content = kinds.honest("gadget.slot", k)
    own = check(from_json(content), instance=instance)
    linear = as_linear(from_json(content), instance)
    proof = check(linear)
    assert (linear.program, linear.instance) == ("gadget.column_lp", instance.sha256)
    assert float(proof.bound) == pytest.approx(float(own.bound), rel=1e-9)
    found = check_certificate(kinds.plain(linear))
    assert found["upper"] == proof.bound


def test_another_slot_than_the_instances_own_is_refused():
    cluster, content = kinds.honest("gadget.slot", 0)
    other = msgspec.structs.replace(from_json(content), slot=cluster.at_slot + 1)
    with pytest.raises(UnsupportedForm, match="own slot"):
        as_linear(other, cluster)


def test_whole_sizes_have_no_multipliers():
    cluster, content = kinds.honest("gadget.slot", 0)
    other = msgspec.structs.replace(
        from_json(content), shared=SharedServers(resource=0, unit=1.0), bound="1000"
    )
    assert check(other, instance=cluster).bound == 1000
    with pytest.raises(UnsupportedForm, match="whole sizes"):
        as_linear(other, cluster)


@pytest.mark.parametrize("concave", [True, False])
def test_prices_of_the_horizon_prove_the_linear_bound_alone(concave):
    for cluster in random_clusters(15, 1, network="any", concave=concave, horizon=5, resources=2):
        linear = as_linear(horizon_certificate(cluster), cluster)
        assert (linear.program, linear.instance) == ("gadget.offline_bound", cluster.sha256)
        relaxed = solve(OfflineBound().form(cluster)).require_optimal().objective
        assert float(check(linear).bound) == pytest.approx(relaxed, rel=1e-9, abs=1e-9)
        assert check_certificate(kinds.plain(linear))["upper"] == check(linear).bound


def test_any_prices_of_blocks_prove_no_less_alone_where_utilities_are_concave():
    # what the program merges is priced by the mean, which is never worse by convexity
    rng = np.random.default_rng(0)
    for cluster in random_clusters(15, 2, network="any", concave=True, horizon=5, resources=2):
        groups = [np.array([u]) for u in np.flatnonzero(cluster.is_server)]
        prices = rng.random((2, len(groups), 2)) * 2
        own = certify_horizon(cluster, np.array([0, 2]), groups, prices)
        bound = check(as_linear(own, cluster)).bound
        assert bound <= Fraction(own.bound) * (1 + Fraction(1, 10**9))


def test_a_cluster_without_jobs_or_servers_is_written_alone_too():
    cluster = next(iter(random_clusters(1, 3)))
    nobody = cluster.replace(jobs=[])
    nodes = [msgspec.structs.replace(node, server=False) for node in cluster.nodes]
    for empty in (nobody, cluster.replace(nodes=nodes)):
        own = horizon_certificate(empty)
        assert check(as_linear(own, empty)).bound == Fraction(own.bound)


@pytest.mark.parametrize("place", ["node_prices", "link_prices"])
def test_the_dearest_prices_are_written_or_refused_without_a_warning(place):
    # pytest makes errors of warnings
    cluster, content = kinds.honest("gadget.slot", 0)
    own, largest = from_json(content), 1.7976931348623157e308
    prices = [list(row) if isinstance(row, tuple) else row for row in getattr(own, place)]
    prices[0] = [largest] * len(prices[0]) if isinstance(prices[0], list) else largest
    dear = msgspec.json.decode(content) | {place: prices}
    with contextlib.suppress(NotACertificate):
        assert check(as_linear(from_json(msgspec.json.encode(dear)), cluster)).bound > 0
