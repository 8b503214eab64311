"""What a sweep, a report and a figure show of it."""

from __future__ import annotations

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


@guarantee("ration.first_come", "printed", source="none; an example")
def half(instance, options):
    """2, were every request as good as the next."""
    return 2.0


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
