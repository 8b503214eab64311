"""Workers of coded computation: how long a row takes each of them."""

import numpy as np

from farkas.experiments.outlines.outline import Bars, Outline, outline
from farkas.instances.coded import CodedComputing


@outline("coded")
def computation(instance: CodedComputing) -> Outline:
    """Mean time of a row of each master on each worker, where the pair is allowed."""
    with np.errstate(divide="ignore"):
        means = instance.shifts + 1.0 / instance.rates
    amounts = {
        master.name or f"master {m}": [
            float(mean) if may else None
            for mean, may in zip(means[m].tolist(), instance.allowed[m].tolist(), strict=True)
        ]
        for m, master in enumerate(instance.masters)
    }
    workers = [f"worker {n}" for n in range(instance.workers)]
    return Outline(bars=[Bars(f"mean time of a row, {instance.time_unit}", workers, amounts)])
