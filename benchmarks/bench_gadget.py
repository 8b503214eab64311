"""Kind gadget: ring generation, horizon bound, certificates, whole runs and how they grow."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

from benchmarks.measure import Figures, drawn, fastest
from farkas.certificates import check
from farkas.instances.gadget import Cluster
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.columns import column_rings, worth
from farkas.relaxations.gadget.embedding import GvneLP, NodeLP
from farkas.relaxations.gadget.offline_bound import OfflineBound
from farkas.relaxations.gadget.pricing import horizon_certificate
from farkas.relaxations.gadget.slot_pricing import MOST_LABELS, priced_slot
from farkas.solvers import solve
from farkas.tolerances import SOLVER_GAP
from tests.generators.gadget import wide_area

#: CPU seconds, and exponents, that are to be reached.
FLOORS = {
    "rings, published, S=50, n=100": 0.1,
    "rings, scarce_links, S=50, n=100": 0.1,
    "slot within 0.1 %, published": 0.1,
    "slot within 0.1 %, scarce_links": 0.1,
    # a fifth of 4.26 s, which it took while the relaxation of every slot was traced anew
    "whole run, published settings, T=200": 0.85,
    "growth, slots doubled": 1.15,
    "growth, jobs doubled": 1.15,
}
#: Of figures that are no CPU seconds, by a word of their names.
UNITS = {" over ": "x", "growth": "exponent", ": gap": "share", "ratio": "x"}


def main() -> None:
    """Measure and keep."""
    results: dict[str, Any] = {}
    for preset in ("published", "scarce_links"):
        slot = snapshot(drawn(Cluster, preset, utility="sqrt", arrivals="start"))
        results[f"rings, {preset}, S=50, n=100"] = fastest(
            partial(priced_slot, slot, SOLVER_GAP, MOST_LABELS), 5
        )
        results[f"slot within 0.1 %, {preset}"] = fastest(partial(column_rings, slot, 1e-3), 5)
    results |= wide_area_slots()
    small = snapshot(drawn(Cluster, num_servers=20, num_jobs=20, utility="sqrt", arrivals="start"))
    embedding = fastest(lambda: solve(GvneLP().form(small)), 3)
    results["embedding relaxation over node relaxation, S=20, n=20"] = embedding / fastest(
        lambda: solve(NodeLP().form(small)), 3
    )
    cluster = drawn(Cluster, utility="sqrt")
    results["offline bound, S=50, T=200, n=100"] = fastest(
        lambda: solve(OfflineBound().form(cluster)), 3
    )
    certificate = horizon_certificate(cluster)
    results["its certificate, checked"] = fastest(lambda: check(certificate, instance=cluster), 3)
    for gains in ("printed", "envelope"):
        begin = time.process_time()
        run = algorithms["gadget.columns"].run(cluster, gains=gains)
        results[f"whole run, {gains} gains, T=200"] = time.process_time() - begin
        results[f"whole run, {gains} gains: certified ratio"] = run.ratio
    results["whole run, published settings, T=200"] = whole_run()
    results |= growth()
    figures = Figures("gadget")
    for name, value in results.items():
        unit = next((unit for word, unit in UNITS.items() if word in name), "s")
        least = 1.0 if " over " in name else None
        figures.add(name, value, unit, most=FLOORS.get(name), least=least)
    print(figures.keep())


def whole_run(**settings: Any) -> float:
    """CPU seconds of the default algorithm on the published settings, certificate included."""
    cluster = drawn(Cluster, seed=2, **settings)
    return fastest(partial(algorithms["gadget.columns"].run, cluster), 3)


def growth() -> dict[str, float]:
    """Exponents of whole runs up to 16 times the published numbers of slots and of jobs."""
    found = {}
    for what, name, first in (("slots", "horizon", 200), ("jobs", "num_jobs", 100)):
        times = [whole_run(**{name: first << k}) for k in range(5)]
        found[f"growth, {what} doubled"] = math.log2(times[-1] / times[0]) / (len(times) - 1)
        found[f"whole run, {first << 4} {what}"] = times[-1]
    return found


def wide_area_slots() -> dict[str, float]:
    """Slots of 200 jobs on wide-area networks."""
    results = {}
    column_rings(snapshot(wide_area(15, 1)), 1e-3)  # compiles
    for nodes in (15, 30, 50, 100, 200):
        slot = snapshot(wide_area(nodes, 1))
        name = f"slot, wide-area network, V={nodes}, n=200"
        begin = time.process_time()
        rings, bound = column_rings(slot, 1e-3)
        results[name] = time.process_time() - begin
        results[f"{name}: gap"] = bound / worth(slot, rings) - 1.0
    return results


if __name__ == "__main__":
    main()
