"""What happens slot by slot in a run: costs of every kind, and what a kind adds.

A trajectory is a function of an instance and a run of its kind; kinds from outside register theirs
when they are imported::

    @trajectory("mlbroker", "Deployment price")
    def deployment_price(instance, run):
        '''Multipliers of the certificate ...'''
        return Figure(...)                      # None where the run does not hold it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from farkas.certificates.dps_servers import certified_to_date
from farkas.certificates.eris import PricedAuction
from farkas.certificates.files import Certificate, from_json
from farkas.certificates.mlbroker import MlbrokerPrices
from farkas.certificates.priced_tree import PricedTree
from farkas.experiments import explanation
from farkas.experiments.figures import Figure, PlotAxis, Series
from farkas.instances.files import own_kinds
from farkas.numbers import Floats
from farkas.online import Run
from farkas.registry import load_outside
from farkas.tolerances import SOLVER_GAP, close

if TYPE_CHECKING:
    from farkas.instances.dps import Market
    from farkas.instances.eris import Auction
    from farkas.instances.mlbroker import Brokerage

Chart = Callable[[Any, Run], Figure | None]

#: By kind and title: what is drawn, in words, and the function.
trajectories: dict[tuple[str, str], tuple[str, Chart]] = {}

DATES = 50  #: Slots at which bounds to date are computed.
MOST_SITES = 6  #: More sites than this are summed up by their mean and range.


def trajectory(kind: str, title: str) -> Callable[[Chart], Chart]:
    """Register the decorated function; its docstring says what is drawn."""

    def register(chart: Chart) -> Chart:
        if (kind, title) in trajectories:
            raise ValueError(f"two trajectories of {kind} are called {title!r}: rename one")
        trajectories[kind, title] = explanation(chart, f"trajectory {title!r}"), chart
        return chart

    return register


def of_run(instance: Any, run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Title, explanation and data of every trajectory that a run has; costs first."""
    if len(run.costs) > 1:  # one slot is no trajectory
        yield from _costs(run)
    if run.kind not in own_kinds():
        load_outside(run.kind)
    for (kind, title), (words, chart) in sorted(trajectories.items()):
        data = chart(instance, run) if kind == run.kind else None
        if data is not None:
            yield title, words, data


def certificate(run: Run) -> Certificate | None:
    """Certificate of a run; None when it keeps none."""
    if run.certificate is None or run.certificate.certificate is None:
        return None
    return from_json(msgspec.json.encode(run.certificate.certificate), "certificate of the run")


def _costs(run: Run) -> Iterator[tuple[str, str, Figure]]:
    """Parts that add up to the value, stacked and summed up; whatever else is kept by slot."""
    parts = list(dict.fromkeys(part for slot in run.costs for part in slot))
    amounts = {part: np.array([slot.get(part, 0.0) for slot in run.costs]) for part in parts}
    counted = _adding_up(amounts, run.value)
    what = "Cost" if run.sense == "min" else "Reward"
    x, y = PlotAxis("slot"), PlotAxis(what.lower())
    slots = list(range(len(run.costs)))
    if counted:
        bars = [Series(part, slots, amounts[part], chart="bar") for part in counted]
        note = f"Parts of the {y} in every slot, stacked."
        yield f"{what} by slot", note, Figure(x=x, y=y, series=bars)
        so_far = np.cumsum(sum(amounts[part] for part in counted))
        line = [Series("all parts", slots, so_far, chart="step")]
        note = f"Sum of the {y} up to and including every slot."
        yield f"{what} so far", note, Figure(x=x, y=y, series=line)
    others = [Series(p, slots, amounts[p], chart="step") for p in parts if p not in counted]
    if others:
        note = "What else the run keeps by slot; shares are of the capacity."
        yield "Use and accounts", note, Figure(x=x, y=PlotAxis("amount"), series=others)


def _adding_up(amounts: Mapping[str, Floats], value: float) -> list[str]:
    """All parts, or the one part, whose sum over slots is the value; none when neither is."""
    choices = [list(amounts), *([part] for part in amounts)]
    for parts in choices:
        total = sum(float(amounts[part].sum()) for part in parts)
        if close(total, value, SOLVER_GAP):
            return parts
    return []


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
    if not isinstance(found, PricedTree) or len(run.costs) != instance.horizon:
        return None
    so_far = certified_to_date(instance, found)
    if so_far is None:
        return None
    dates = np.unique(np.linspace(0, instance.horizon - 1, DATES).astype(int)).tolist()
    proved = [float(so_far[t]) for t in dates]
    profit = np.cumsum([slot.get("profit", 0.0) for slot in run.costs])[dates]
    series = [Series("profit", dates, profit), Series("proved bound", dates, proved)]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("payments"), series=series)


@trajectory("eris", "Dual prices of resources")
def resource_prices(instance: Auction, run: Run) -> Figure | None:
    """Prices β of the certificate by resource: mean over the sites, with their range."""
    _, resource = _prices(instance, run)
    if resource is None:
        return None
    slots = list(range(instance.slots))
    series = [
        Series(name, slots, prices.mean(axis=0), prices.min(axis=0), prices.max(axis=0), "step")
        for name, prices in zip(instance.resource_names, resource.swapaxes(0, 1), strict=True)
    ]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "welfare per unit"), series=series)


@trajectory("eris", "Dual price of transfer")
def transfer_price(instance: Auction, run: Run) -> Figure | None:
    """Price α of the certificate for a MB of transfer."""
    transfer, _ = _prices(instance, run)
    if transfer is None:
        return None
    series = [Series("transfer", list(range(instance.slots)), transfer, chart="step")]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "welfare per MB"), series=series)


def _prices(instance: Auction, run: Run) -> tuple[Floats, Floats] | tuple[None, None]:
    """Prices of transfer and of resources in the certificate."""
    found = certificate(run)
    if not isinstance(found, PricedTree) or len(found.tree) > 1:
        return None, None
    return PricedAuction(instance).parts(found.single_prices(instance))


@trajectory("mlbroker", "Workers")
def workers(instance: Brokerage, run: Run) -> Figure | None:
    """Workers placed at the sites, summed over jobs."""
    placed = _placed(instance, run)
    if placed is None:
        return None
    return Figure(x=PlotAxis("slot"), y=PlotAxis("workers"), series=_by_site(placed))


@trajectory("mlbroker", "Price paid per worker")
def price(instance: Brokerage, run: Run) -> Figure | None:
    """Resource cost of a slot over its workers: it falls where thresholds of discounts are met."""
    placed = _placed(instance, run)
    if placed is None or len(run.costs) != instance.num_slots:
        return None
    count = placed.sum(axis=1)
    paid = np.full(instance.num_slots, np.nan)
    cost = np.array([slot.get("resource", 0.0) for slot in run.costs])
    np.divide(cost, count, out=paid, where=count > 0)
    series = [Series("all sites", list(range(len(paid))), paid, chart="step")]
    return Figure(x=PlotAxis("slot"), y=PlotAxis("price", "USD per worker and slot"), series=series)


@trajectory("mlbroker", "Dual prices of presence")
def presence(instance: Brokerage, run: Run) -> Figure | None:
    """Multiplier of the deployment cost (8h) in the certificate, mean over the slot's jobs."""
    found = certificate(run)
    if not isinstance(found, MlbrokerPrices) or not instance.num_pairs:
        return None
    move = found.read_guide(instance).move
    mean = np.full((instance.num_slots, instance.num_sites), np.nan)
    for slot in range(instance.num_slots):
        pairs = instance.pairs_at(slot)
        if len(pairs):
            mean[slot] = move[pairs].mean(axis=0)
    return Figure(x=PlotAxis("slot"), y=PlotAxis("multiplier", "USD"), series=_by_site(mean))


def _placed(instance: Brokerage, run: Run) -> Floats | None:
    """Workers by slot and site, shape (slots, sites); None where the run does not say."""
    if len(run.decisions) != instance.num_slots:
        return None
    placed = np.zeros((instance.num_slots, instance.num_sites))
    for slot, decision in enumerate(run.decisions):
        if decision.get("jobs"):
            placed[slot] = np.asarray(decision["workers"], dtype=float).sum(axis=0)
    return placed


def _by_site(values: Floats) -> list[Series]:
    """One line a site; mean and range when they are many.  Shape (slots, sites)."""
    slots = list(range(len(values)))
    if values.shape[1] <= MOST_SITES:
        return [
            Series(f"site {site}", slots, column, chart="step")
            for site, column in enumerate(values.T)
        ]
    name = f"mean of {values.shape[1]} sites, with range"
    return [
        Series(name, slots, values.mean(axis=1), values.min(axis=1), values.max(axis=1), "step")
    ]
