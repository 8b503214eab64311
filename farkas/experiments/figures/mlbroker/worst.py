"""Figure 5w of mlBroker: the worst ratios of the fractional algorithm that a search finds.

The paper shows ratios of random instances in Fig. 5 and a theorem for all others.  Here a search
plays traces of one job in closed form, and proves the ratio of the worst by exact replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.adversary.gap import at_least
from farkas.experiments.figures.exhibit import Agreement, Preset
from farkas.experiments.figures.figure import Figure, PlotAxis, Printed, Progress, Series, Statement
from farkas.experiments.figures.measuring import measurement
from farkas.experiments.figures.mlbroker import MLBROKER
from farkas.portable.logarithms import log1p
from farkas.verbs.worst import worst_trace


@measurement
def worst_ratio(sites: int, epsilon: float, tried: int, seed: int) -> float:
    """Proved ratio of the worst trace found, of the paper's relaxation to a whole placement."""
    ratio = at_least(worst_trace(sites, epsilon, tried=tried, seed=seed).ratio)
    assert isinstance(ratio, float)  # a deployment at least is paid by every solution
    return ratio


def claimed(epsilon: float) -> float:
    """r₁ of Theorem 3."""
    return 2 + (1 + epsilon) * log1p(1 / epsilon)


def corrected(sites: int, epsilon: float) -> float:
    """max(1, σ) + R ε σ / κ for one job, whose κ is 1."""
    sigma = log1p(1 / epsilon)
    return max(1.0, sigma) + sites * epsilon * sigma


def harmonic(sites: int) -> float:
    """H_R, the ratio of data that wander over sites to each of which fewer data may follow."""
    return float(sum(Fraction(1, k) for k in range(1, sites + 1)))


@MLBROKER.figure(
    "5w",
    "Worst ratio of the fractional algorithm that a search finds",
    Agreement.NOT_REPRODUCED,
    "Theorem 3 is false: a job's data may wander over eight sites so that the algorithm pays more",
    source="mlBroker Theorem 3",
)
def worst_ratios(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Cost of A_fractional over a whole placement, proved, on the worst trace found for R and ε."""
    sites = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24] if preset.full else [2, 4, 8]
    epsilons = (0.1, 1.0, 10.0) if preset.full else (1.0, 10.0)
    found: dict[float, list[float]] = {epsilon: [] for epsilon in epsilons}
    for done, count in enumerate(sites):
        for epsilon, ratios in found.items():
            # twice the descents at the full size
            ratios.append(
                worst_ratio(count, epsilon, (3200 if preset.full else 1600) * count, seed)
            )
        progress(done + 1, len(sites))
    lines = {f"found, ε = {epsilon:g}": y for epsilon, y in found.items()}
    lines["H_R"] = sums = [harmonic(count) for count in sites]
    bounds = {epsilon: [corrected(count, epsilon) for count in sites] for epsilon in epsilons}
    lines[f"corrected bound, ε = {epsilons[0]:g}"] = bounds[epsilons[0]]
    kept = all(
        (np.array(y) <= np.array(bounds[epsilon])).all() for epsilon, y in found.items()
    )  # fmt: skip
    more = {epsilon: np.array(y) > np.array(sums) for epsilon, y in found.items()}
    return Figure(
        x=PlotAxis("data centres"),
        y=PlotAxis("cost / placement known"),
        # single instances, no means
        series=[Series(name, sites, y, chart="scatter") for name, y in lines.items()],
        published=[
            Printed(f"r₁ at ε = {epsilon:g} (Theorem 3)", claimed(epsilon)) for epsilon in epsilons
        ],
        findings=[
            _below(sites, epsilon, ratios) for epsilon, ratios in found.items()
        ] + [
            Statement("the corrected bound holds", kept, about="ours"),
            Statement(
                f"at ε = {epsilons[-1]:g} data find more than H_R from three sites on",
                bool(more[epsilons[-1]][np.array(sites) > 2].all()),
                f"R = {sites[-1]}: {found[epsilons[-1]][-1]:.3f}, H_R = {sums[-1]:.3f}",
                "ours",
            ),
        ],
        caption="one job, at most 2 R slots; proved lower bounds, which more search can only raise",
    )  # fmt: skip


def _below(sites: Sequence[int], epsilon: float, ratios: Sequence[float]) -> Statement:
    """Whether r₁ bounds all ratios of an ε."""
    limit = claimed(epsilon)
    above = [(count, ratio) for count, ratio in zip(sites, ratios, strict=True) if ratio > limit]
    note = f"at most {max(ratios):.3f}"
    if above:
        count, ratio = above[0]
        where = (
            f"R = {count}"
            if len(above) < sum(c >= count for c in sites)
            else f"from R = {count} on"
        )
        note = f"{where}: {ratio:.3f} > {limit:.3f}"
    return Statement(f"at most r₁ at ε = {epsilon:g}", not above, note)
