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
from farkas.numbers import Floats, Ints
from farkas.replay.base import decoded
from farkas.replay.eris import PieceEntry, SlotEntry


@layouts.register("eris")
def use_of_sites(instance: Auction, decided: Sequence[Any]) -> Layout:
    """Share of each site's scarcest resource that accepted jobs use in every slot.

    The transfer budget has a lane of its own where anything is transferred.
    """
    sides = [decoded(decisions, list[SlotEntry]) for decisions in decided]
    pieces = [[piece for slot in slots for piece in slot.pieces] for slots in sides]
    used = [_resources(instance, own) for own in pieces]
    share = np.max([use.sum(axis=0).max(axis=1, initial=0.0) for use in used], axis=0)
    chosen = share.argmax(axis=1)
    names = [
        f"site {site}, {instance.resource_names[resource]}" for site, resource in enumerate(chosen)
    ]
    moves = any(_transfer(instance, piece) for own in pieces for piece in own)
    lanes = [*names, "transfer"] if moves else names
    return Layout(
        lanes=lanes,
        tops=[1.0] * len(lanes),
        owners=named_owners("job", [job.name for job in instance.jobs]),
        x=PlotAxis("slot"),
        unit="",
        end=instance.slots,
        sides=[
            Schedule(_blocks(instance, own, use, chosen), _remarks(instance, slots))
            for slots, own, use in zip(sides, pieces, used, strict=True)
        ],
    )


def _resources(instance: Auction, pieces: Sequence[PieceEntry]) -> Floats:
    """Share of resources that jobs use, shape (jobs, sites, slots, resources)."""
    shape = (instance.num_jobs, instance.sites, instance.slots, len(instance.resource_names))
    found = np.zeros(shape)
    for piece in pieces:
        job = instance.jobs[piece.job]
        found[piece.job, piece.server, piece.slot] += job.server_demand
        for site, count in piece.workers:
            found[piece.job, site, piece.slot] += count * np.array(job.worker_demand)
    capacity = np.array(instance.site_capacity)[None, :, None, :]
    share: Floats = np.divide(found, capacity, out=np.zeros(shape), where=capacity > 0)
    return share


def _transfer(instance: Auction, piece: PieceEntry) -> float:
    """Share of the transfer budget that a piece uses."""
    remote = sum(count for site, count in piece.workers if site != piece.server)
    amount = instance.chunk_size * piece.moved
    amount += instance.jobs[piece.job].parameter_size * remote
    return amount / instance.transfer_budget if amount else 0.0


def _blocks(
    instance: Auction, pieces: Sequence[PieceEntry], used: Floats, chosen: Ints
) -> list[Held]:
    found = []
    for site, resource in enumerate(chosen):
        for job, slot in np.argwhere(used[:, site, :, resource] > 0).tolist():
            amount = float(used[job, site, slot, resource])
            found.append(Held(site, job, slot, slot + 1, amount))
    for piece in pieces:
        share = _transfer(instance, piece)
        if share:
            found.append(Held(instance.sites, piece.job, piece.slot, piece.slot + 1, share))
    return found


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
