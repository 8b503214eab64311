"""Uncoded computing: rows are split evenly over a block of workers, and all of them are needed."""

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.integer import first_time
from farkas.models.coded.law import mean_time
from farkas.models.coded.surrogate import returned_share
from farkas.numbers import Floats


def even_loads(data: CodedComputing) -> Floats | None:
    """Rows of every pair, shape (masters, workers); None when a block cannot do its part.

    The first L mod (block size) workers of a block have one row more.
    """
    loads = np.zeros(data.rates.shape)
    for master, block in enumerate(data.blocks):
        if not len(block) or not data.allowed[master, block].all():
            return None
        each, more = divmod(int(data.rows[master]), len(block))
        loads[master, block] = each
        loads[master, block[:more]] += 1
    return loads


def all_returned(data: CodedComputing, loads: Floats, time: float) -> float:
    """P[every worker with rows is done by ``time``]."""
    return float(np.prod(returned_share(data, loads, time)[loads > 0]))


def uncoded_quantile(data: CodedComputing, loads: Floats, target: float) -> float:
    """Smallest t with P[all done by t] >= target."""
    used = loads > 0
    start = float((loads[used] * data.shifts[used]).max())
    return first_time(lambda t: all_returned(data, loads, t) >= target, start)


def uncoded_mean(data: CodedComputing, loads: Floats) -> float:
    """E[time of the last worker]."""
    used = loads > 0
    kinks = loads[used] * data.shifts[used]
    slowest = float((loads[used] / data.rates[used]).max())
    return mean_time(lambda t: all_returned(data, loads, t), kinks, slowest)
