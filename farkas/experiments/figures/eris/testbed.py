"""Figures 3 to 7 of Eris: the testbed.

Conventions as in `farkas.experiments.figures.eris`.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.proof import ratio_words
from farkas.experiments.figures.eris import ALGORITHMS, ERIS, FLOOR, PAPER, RIVALS, play
from farkas.experiments.figures.exhibit import Agreement, Preset, Progress
from farkas.experiments.figures.figure import Figure, PlotAxis, Printed, Series, Statement
from farkas.experiments.figures.lines import listed
from farkas.instances.eris import Auction
from farkas.numbers import Floats
from farkas.online.replayed import ratio_to


def testbed(preset: Preset, seed: int) -> list[Auction]:
    """Auctions of the published testbed, several seeds."""
    return [ERIS.draw(seed + extra, "testbed") for extra in range(5 if preset == "full" else 2)]


@ERIS.figure(
    3,
    "Social welfare on the testbed",
    Agreement.NOT_REPRODUCED,
    "with prices (6) Eris books worthless late completions and falls far behind the bound; a price "
    "floor restores it; P is not published",
)
def testbed_welfare(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Welfare of Eris and the baselines, and a proved bound on the optimum; means over seeds."""
    welfare, _, bounds = _testbed_runs(preset, seed, progress)
    means = dict(zip(ALGORITHMS, welfare.mean(axis=0), strict=True))
    best = max(means[rival] for rival in RIVALS)
    ours, floor = means[PAPER], means[FLOOR]
    means["proved bound on the optimum"] = bounds.mean()
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("welfare"),
        series=[Series("welfare", list(means), list(means.values()), chart="bar")],
        findings=[
            Statement("Eris is above every baseline", ours > best, f"{ours:.0f}, {best:.0f}"),
            Statement("so it is with price floor 1", floor > best, f"{floor:.0f}"),
        ],
        caption=f"{len(bounds)} instances of R = 9, T = 50, I = 10; one worker per chunk and slot",
    )


def _testbed_runs(preset: Preset, seed: int, progress: Progress) -> tuple[Floats, Floats, Floats]:
    """Welfare and ratios, shape (seeds, algorithms), and proved bounds, shape (seeds,)."""
    auctions = testbed(preset, seed)
    welfare, ratios, bounds = [], [], []
    for done, auction in enumerate(auctions):
        runs = [play(label, auction) for label in ALGORITHMS]
        proved = play(FLOOR, auction, effort="subgradient").certificate
        assert proved is not None
        welfare.append([run.value for run in runs])
        ratios.append([ratio_to(run, auction, proved) for run in runs])
        bounds.append(proved.double("max"))
        progress(done + 1, len(auctions))
    return np.array(welfare), np.array(ratios, float), np.array(bounds, float)


@ERIS.figure(
    4,
    "Accepted and rejected jobs",
    Agreement.NOT_REPRODUCED,
    "Eris accepts about as many jobs as Liquid and AntMan, and with a price floor fewer but better "
    "ones; counts were read off no table",
)
def accepted_jobs(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Jobs completed and not completed on the testbed, means over seeds."""
    auctions = testbed(preset, seed)
    served = {}
    for done, label in enumerate(ALGORITHMS):
        served[label] = float(np.mean([play(label, a).numbers["accepted"] for a in auctions]))
        progress(done + 1, len(ALGORITHMS))
    accepted = np.array(list(served.values()))
    rejected = auctions[0].num_jobs - accepted
    most = max(served[rival] for rival in RIVALS)
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("jobs"),
        series=[
            Series("accepted", list(served), accepted, chart="bar"),
            Series("rejected or unfinished", list(served), rejected, chart="bar"),
        ],
        findings=[
            Statement(
                "Eris accepts more than every baseline", served[PAPER] > most, listed(served, ".1f")
            )
        ],
        caption=f"{len(auctions)} instances of the testbed; unfinished jobs count as rejected",
    )


@ERIS.figure(
    5,
    "Performance ratio on the testbed",
    Agreement.NOT_REPRODUCED,
    "below 1.5 with a price floor, far above it with prices (6); the published optimum came from a "
    "toolbox, ours is a proved bound",
)
def testbed_ratio(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Proved bound over welfare, one value per instance: upper bounds on the true ratio."""
    _, ratios, _ = _testbed_runs(preset, seed, progress)
    seeds = np.arange(seed, seed + len(ratios))
    lines = dict(zip(ALGORITHMS, ratios.T, strict=True))
    ours, floor = np.nanmax(lines[PAPER]), np.nanmax(lines[FLOOR])
    return Figure(
        x=PlotAxis("seed"),
        y=PlotAxis("bound / welfare", log=True),
        series=[Series(label, seeds, values, chart="scatter") for label, values in lines.items()],
        published=[Printed("below 1.5 (Fig. 5)", 1.5)],
        findings=[
            Statement("Eris is below 1.5", ours < 1.5, f"up to {ratio_words(ours)}"),
            Statement("with price floor 1 it is", floor < 1.5, f"up to {ratio_words(floor)}"),
        ],
        caption="every ratio is proved: the welfare is that of checked schedules",
    )


ERIS.not_modelled(
    "figure6",
    "Training accuracy",
    "needs training of the networks; an instance holds chunks, not gradients",
)


@ERIS.figure(
    7,
    "Resource utilisation in every slot",
    Agreement.TREND,
    "GPUs reach full use in some slots, CPU and memory stay below; no values are printed",
)
def utilisation_by_slot(preset: Preset, seed: int, progress: Progress) -> Figure:
    """Share of the testbed's capacity in use during a run of Eris."""
    auction = ERIS.draw(seed, "testbed")
    run = play(PAPER, auction)
    progress(1, 1)
    shares = {
        name: np.array([slot[f"use of {name}"] for slot in run.costs])
        for name in (*auction.resource_names, "transfer")
    }
    gpu, cpu, ram = (shares[name].max() for name in ("gpu", "cpu", "ram"))
    slots = np.arange(auction.slots)
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis("share of capacity"),
        series=[Series(name, slots, share, chart="step") for name, share in shares.items()],
        findings=[
            Statement("GPU use reaches 100 % at times", gpu >= 0.999, f"{gpu:.2f}"),
            Statement("CPU and memory stay below", max(cpu, ram) < 1.0, f"{cpu:.2f}, {ram:.2f}"),
        ],
        caption="one instance of the testbed",
    )
