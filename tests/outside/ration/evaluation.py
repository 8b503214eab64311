"""What a sweep, a report and a figure show of it."""

from __future__ import annotations

import itertools

import farkas
from farkas.experiments.figures import (
    Agreement,
    Figure,
    Paper,
    PlotAxis,
    Printed,
    Series,
    Statement,
)
from farkas.experiments.sweeps.guarantees import guarantee
from farkas.experiments.sweeps.trajectories import trajectory


@guarantee("ration.first_come", "printed", source="none; an example")
def half(instance, options):
    """2, were every request as good as the next."""
    return 2.0


@trajectory("ration", "Stock left")
def stock(instance, run):
    """Units left after every request."""
    given = (
        request.units * taken
        for request, taken in zip(instance.requests, run.decisions, strict=True)
    )
    left = [instance.units - used for used in itertools.accumulate(given)]
    series = [Series("stock", list(range(len(left))), left, chart="step")]
    return Figure(x=PlotAxis("request"), y=PlotAxis("units"), series=series)


@Paper("ration", "Ration").figure(1, "Thresholds", Agreement.NOT_REPRODUCED, "nothing was printed")
def thresholds(preset, seed):
    """Worth of what is served on one instance, for several thresholds."""
    instance = farkas.generate("ration", "small", seed=seed)
    least = [0.0, 1.0, 2.0]
    worth = [farkas.run(instance, "ration.first_come", least=x).value for x in least]
    return Figure(
        x=PlotAxis("least worth of a unit"),
        y=PlotAxis("worth"),
        series=[Series("first come", least, worth)],
        published=[Printed("nothing", 0.0)],
        findings=[Statement("something is served", max(worth) > 0)],
    )
