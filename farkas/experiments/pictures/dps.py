"""Markets of DPS: units that jobs hold on servers, and what they pay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.pictures.gantt import (
    Held,
    Layout,
    Schedule,
    jobs_said,
    layouts,
    named_owners,
)
from farkas.instances.dps import Market
from farkas.replay.base import decoded
from farkas.replay.dps import SaleEntry

Lane = tuple[int, str, int]  #: Server, side (worker or ps) and type.


@layouts.register("dps")
def occupancy(instance: Market, decided: Sequence[Any]) -> Layout:
    """Units that jobs hold on servers over time; lanes are as high as what is installed.

    Units that nobody holds on either side are left out.
    """
    every = [decoded(decisions, list[SaleEntry]) for decisions in decided]
    held = [_held(instance, sales) for sales in every]
    lanes = sorted({lane for side in held for lane, *_ in side}, key=lambda lane: lane)
    place = {lane: number for number, lane in enumerate(lanes)}
    sides = [
        Schedule([Held(place[lane], *rest) for lane, *rest in side], _remarks(instance, sales))
        for side, sales in zip(held, every, strict=True)
    ]
    blocks = [block for side in sides for block in side.blocks]
    return Layout(
        lanes=[f"server {server}, {side} {kind}" for server, side, kind in lanes],
        tops=[float(_installed(instance, lane)) for lane in lanes],
        owners=named_owners("job", [""] * instance.num_jobs),
        x=PlotAxis("slot"),
        unit="units",
        begin=float(min((block.start for block in blocks), default=0)),
        end=max((block.end for block in blocks), default=float(instance.horizon)),
        sides=sides,
    )


def _installed(instance: Market, lane: Lane) -> int:
    server, side, kind = lane
    units = instance.server_workers if side == "worker" else instance.server_ps
    return units[server][kind]


def _held(instance: Market, sales: Sequence[SaleEntry]) -> list[tuple[Lane, int, int, int, int]]:
    """Lane, job, first slot, slot after the last, and units."""
    whole = instance.last_held(instance.colocated_end).tolist()
    spread = instance.last_held(instance.spread_end).tolist()
    found: list[tuple[Lane, int, int, int, int]] = []
    for number, (job, sale) in enumerate(zip(instance.jobs, sales, strict=True)):
        end = (whole if len(sale.servers) == 1 else spread)[number] + 1
        for server, workers, ps in zip(sale.servers, sale.workers, sale.ps, strict=True):
            for side, kind, units in (
                ("worker", job.worker_type, workers), ("ps", job.ps_type, ps)
            ):  # fmt: skip
                if units:
                    found.append(((server, side, kind), number, job.arrival, end, units))
    return found


def _remarks(instance: Market, sales: Sequence[SaleEntry]) -> list[str]:
    paid = [
        f"job {number} pays {sale.payment:.4g} of {instance.jobs[number].budget:.4g}"
        for number, sale in enumerate(sales)
        if sale.outcome == "sold"
    ]
    words = {
        "explored": "served for nothing, to learn prices",
        "declined": "declined the price",
        "full": "turned away",
    }
    others = [
        said
        for outcome, what in words.items()
        for said in jobs_said([k for k, sale in enumerate(sales) if sale.outcome == outcome], what)
    ]
    return paid + others
