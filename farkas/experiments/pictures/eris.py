"""Auctions: shares of sites that schedules take, and of the transfer budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.pictures.gantt import (
    Held,
    Layout,
    Schedule,
    jobs_said,
    layouts,
    named_owners,
)
from farkas.instances.eris import Auction
from farkas.numbers import Floats
from farkas.online.eris.environment import add_use
from farkas.replay.base import decoded
from farkas.replay.eris import SlotEntry


@layouts.register("eris")
def use_of_sites(instance: Auction, decided: Sequence[Any]) -> Layout:
    """Share of each site's scarcest resource that accepted jobs use in every slot.

    The transfer budget has a lane of its own where anything is transferred.
    """
    sides = [decoded(decisions, list[SlotEntry]) for decisions in decided]
    shape = (instance.num_jobs, instance.sites, instance.num_resources, instance.slots)
    used = [(np.zeros((instance.num_jobs, instance.slots)), np.zeros(shape)) for _ in sides]
    for slots, (transfer, resource) in zip(sides, used, strict=True):
        for piece in (piece for slot in slots for piece in slot.pieces):
            job = instance.jobs[piece.job]
            add_use(instance, job, piece, transfer[piece.job], resource[piece.job])
    capacity = np.maximum(instance.capacity[:, :, None], np.finfo(float).tiny)
    shares = [resource / capacity for _, resource in used]
    share = np.max([each.sum(axis=0).max(axis=2, initial=0.0) for each in shares], axis=0)
    chosen = share.argmax(axis=1)
    names = [
        f"site {site}, {instance.resource_names[resource]}" for site, resource in enumerate(chosen)
    ]
    moves = any(transfer.any() for transfer, _ in used)
    lanes = [*names, "transfer"] if moves else names
    held = [
        [each[:, site, resource] for site, resource in enumerate(chosen)]
        + [transfer / (instance.transfer_budget or 1.0)]
        for each, (transfer, _) in zip(shares, used, strict=True)
    ]
    return Layout(
        lanes=lanes,
        tops=[1.0] * len(lanes),
        owners=named_owners("job", [job.name for job in instance.jobs]),
        x=PlotAxis("slot"),
        unit="",
        end=instance.slots,
        sides=[
            Schedule(_blocks(lane), _remarks(instance, slots))
            for slots, lane in zip(sides, held, strict=True)
        ],
    )


def _blocks(lanes: Sequence[Floats]) -> list[Held]:
    """Shares of lanes that jobs use in slots, each of shape (jobs, slots)."""
    return [
        Held(lane, job, slot, slot + 1, float(share[job, slot]))
        for lane, share in enumerate(lanes)
        for job, slot in np.argwhere(share > 0).tolist()
    ]


def _remarks(instance: Auction, slots: Sequence[SlotEntry]) -> list[str]:
    awards = [award for slot in slots for award in slot.awards]
    accepted = {award.job: award for award in awards if award.accepted}
    worth = [
        f"job {job} is worth {instance.jobs[job].utility[at]:g}"
        for job, award in sorted(accepted.items())
        for at in [(award.completed or 0) - instance.jobs[job].arrival]
    ]
    left = [job for job in range(instance.num_jobs) if job not in accepted]
    return [*worth, *jobs_said(left, "rejected")]
