"""Jobs of a market's run: prices posted, units in use, and what could have been earned to date."""

import numpy as np

from farkas.certificates.dps import DpsPrices, bound_to_date
from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.experiments.sweeps.trajectory import certificate, trajectory
from farkas.instances.dps import Market
from farkas.online import Run

DATES = 50
"""Slots at which bounds to date are computed."""


@trajectory("dps", "Unit prices posted")
def prices(instance: Market, run: Run) -> Figure | None:
    """Show the unit prices of workers and of parameter servers that each job was quoted."""
    quoted = [
        (job.arrival, decision["worker_price"], decision["ps_price"])
        for job, decision in zip(instance.jobs, run.decisions, strict=False)
        if decision.get("worker_price") is not None
    ]
    if not quoted:
        return None
    slot, worker, ps = (list(column) for column in zip(*quoted, strict=True))
    series = [
        Series("worker", slot, worker, chart="scatter"),
        Series("parameter server", slot, ps, chart="scatter"),
    ]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("unit price"), series=series)


@trajectory("dps", "Share of units in use")
def usage(instance: Market, run: Run) -> Figure | None:
    """Units in use over units installed, all types together, after the arrivals of each slot."""
    if len(run.decisions) != instance.num_jobs or not instance.num_jobs:
        return None
    series = []
    for name, units, capacity in (
        ("workers", instance.workers, int(instance.worker_capacity.sum())),
        ("parameter servers", instance.ps, int(instance.ps_capacity.sum())),
    ):
        change = np.zeros(instance.horizon + 1)
        for job, decision in enumerate(run.decisions):
            servers = decision.get("servers") or []
            if servers:
                whole = len(servers) == 1
                ends = instance.colocated_end if whole else instance.spread_end
                last = int(instance.last_held(ends[job : job + 1])[0])
                change[instance.arrival[job]] += units[job]
                change[last + 1] -= units[job]
        share = np.cumsum(change)[:-1] / max(capacity, 1)
        series.append(Series(name, list(range(len(share))), share, chart="step"))
    return Figure(x=PlotAxis("slot"), y=PlotAxis("share of installed units"), series=series)


@trajectory("dps", "Profit and proved bound to date")
def to_date(instance: Market, run: Run) -> Figure | None:
    """Profit so far, and what any way to serve the jobs so far can have earned at most."""
    found = certificate(run)
    if not isinstance(found, DpsPrices) or len(run.costs) != instance.horizon:
        return None
    dates = np.unique(np.linspace(0, instance.horizon - 1, DATES).astype(int)).tolist()
    proved = [float(bound_to_date(instance, found.prices, t, found.rewards)) for t in dates]
    profit = np.cumsum([slot.get("profit", 0.0) for slot in run.costs])[dates]
    series = [Series("profit", dates, profit), Series("proved bound", dates, proved)]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("payments"), series=series)
