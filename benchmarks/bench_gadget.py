"""Kind gadget: ring generation, horizon bound, certificates, whole runs."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.measure import fastest, keep
from farkas.certificates import check
from farkas.instances.generate import generate
from farkas.models.gadget.forest import forest
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.bounds import horizon_certificate
from farkas.relaxations.gadget.embedding import GvneLP, NodeLP
from farkas.relaxations.gadget.generation import generate_columns, start
from farkas.relaxations.gadget.horizon import OfflineBound
from farkas.relaxations.gadget.tree_pricing import TreePricing
from farkas.solvers import solve
from tests.references.gadget_pricing import tree_costs


def main() -> None:
    """Measure and keep."""
    results: dict[str, Any] = {}
    for preset in ("published", "scarce_links"):
        slot = snapshot(generate("gadget", preset, 1, utility="sqrt", arrivals="start"))
        results[f"rings, {preset}, S=50, n=100"] = fastest(lambda s=slot: generate_columns(s), 5)
        tree = forest(slot.cluster)
        assert tree is not None
        pricing = TreePricing(slot.cluster, tree, slot.jobs, slot.largest)
        prices, _ = start(slot)
        compiled = fastest(lambda p=pricing, c=prices: p.costs(c.node, c.link), 5)
        arrays = fastest(lambda p=pricing, c=prices: tree_costs(p, c.node, c.link), 3)
        results[f"tree pricing, {preset}: arrays over compiled"] = arrays / compiled
    small = snapshot(
        generate(
            "gadget", "published", 1, num_servers=20, num_jobs=20, utility="sqrt", arrivals="start"
        )
    )
    embedding = fastest(lambda: solve(GvneLP().form(small)), 3)
    results["embedding relaxation over node relaxation, S=20, n=20"] = embedding / fastest(
        lambda: solve(NodeLP().form(small)), 3
    )
    cluster = generate("gadget", "published", 1, utility="sqrt")
    results["offline bound, S=50, T=200, n=100"] = fastest(
        lambda: solve(OfflineBound().form(cluster)), 3
    )
    certificate = horizon_certificate(cluster)
    results["its certificate, checked"] = fastest(lambda: check(certificate, instance=cluster), 3)
    for gains in ("printed", "envelope"):
        begin = time.process_time()
        run = algorithms["gadget.gadget"].run(cluster, gains=gains)
        results[f"whole run, {gains} gains, T=200"] = time.process_time() - begin
        results[f"whole run, {gains} gains: certified ratio"] = run.ratio
    for name, value in results.items():
        print(f"{name:60s} {value:10.4f}")
    print(keep("gadget", results))


if __name__ == "__main__":
    main()
