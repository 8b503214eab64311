"""Kind gadget on general networks: slots and whole runs, with gap, CPU seconds and peak memory.

Networks of SNDlib and the Topology Zoo come from the package topohub (``pip install topohub``) and
are left out without it; random geometric ones of 100 to 300 nodes are always measured.
"""

from __future__ import annotations

import importlib
import importlib.util
import resource
import time

from benchmarks.measure import Figures
from farkas.models.gadget.slot import snapshot
from farkas.online import algorithms
from farkas.online.gadget.columns import column_rings, worth
from tests.generators.gadget import UTILITIES, edges_of, scarce, wide_area

#: Networks of 15-50 nodes, all kinds of utilities on each.
SNDLIB = (
    "newyork", "geant", "france", "janos-us", "norway", "nobel-eu", "india35", "cost266",
    "janos-us-ca", "giul39", "pioro40", "germany50",
)  # fmt: skip

#: Networks of 65-225 nodes.
LARGE = (
    "sndlib/ta2", "topozoo/VtlWavenet2011", "backbone/africa_nosc", "topozoo/TataNld",
    "sndlib/brain", "backbone/south_america_nosc", "backbone/north_america_nosc",
)  # fmt: skip

GEOMETRIC = (100, 150, 200, 300)

TIGHT = 0.35  #: Share of their width to which links are cut, so that they have prices.

SLOTS = 24

RUNS = ("linear", "sqrt", "log1p", "sigmoid", "mixed")


def main() -> None:
    """Measure and keep."""
    results = Figures("gadget_networks")
    column_rings(snapshot(wide_area(15, 1)), 1e-3)  # compiles
    known = importlib.util.find_spec("topohub") is not None
    for name in SNDLIB if known else ():
        nodes, edges = public(f"sndlib/{name}")
        for utility in (*UTILITIES, "mixed"):
            slot(results, f"{name}, {utility}", nodes, edges, utility)
            slot(results, f"{name}, {utility}, tight", nodes, edges, utility, TIGHT)
        for utility in RUNS:
            run(results, f"{name}, {utility}", nodes, edges, utility)
    for name in LARGE if known else ():
        nodes, edges = public(name)
        for utility in ("linear", "sigmoid"):
            slot(results, f"{name}, {utility}", nodes, edges, utility)
    for nodes in GEOMETRIC:
        edges = edges_of(wide_area(nodes, 1, jobs=1))
        for utility in ("linear", "sigmoid"):
            slot(results, f"geometric {nodes}, {utility}", nodes, edges, utility)
    print(results.keep())


def public(name: str) -> tuple[int, list[tuple[int, int]]]:
    """Nodes and edges of a public network."""
    graph = importlib.import_module("topohub").get(name)
    place = {node["id"]: at for at, node in enumerate(graph["nodes"])}
    ends = [(place[e["source"]], place[e["target"]]) for e in graph["edges"]]
    return len(place), sorted({(min(u, v), max(u, v)) for u, v in ends if u != v})


def slot(
    results: Figures,
    name: str,
    nodes: int,
    edges: list[tuple[int, int]],
    utility: str,
    width: float = 1.0,
) -> None:
    """Solve one slot of 200 jobs."""
    view = snapshot(scarce(nodes, edges, utility, width=width))
    begin = time.process_time()
    rings, bound = column_rings(view, 1e-3)
    seconds = time.process_time() - begin
    gap = bound / worth(view, rings) - 1.0
    note(results, f"slot, {name}", seconds, gap)


def run(
    results: Figures, name: str, nodes: int, edges: list[tuple[int, int]], utility: str
) -> None:
    """Run 200 jobs over `SLOTS` slots, with certificate."""
    cluster = scarce(nodes, edges, utility, horizon=SLOTS)
    begin = time.process_time()
    found = algorithms["gadget.columns"].run(cluster, gains="envelope")
    assert found.ratio is not None
    note(results, f"run, {name}", time.process_time() - begin, found.ratio - 1.0)


def note(results: Figures, name: str, seconds: float, gap: float) -> None:
    """Keep and print what was measured; memory is the peak of the process so far."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results.add(name, seconds)
    results.add(f"{name}: gap", 100 * gap, "%")
    results.add(f"{name}: memory", memory, "MB")


if __name__ == "__main__":
    main()
