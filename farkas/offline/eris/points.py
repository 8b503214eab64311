"""Decisions that a point of eris.offline stands for."""

from __future__ import annotations

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.eris import Auction
from farkas.numbers import Floats
from farkas.offline.eris.packing import Packing
from farkas.online.eris.environment import SlotDecision
from farkas.relaxations.eris.priced_jobs import JobPricer


def decisions_of(instance: Auction, form: LinearForm, point: Floats) -> list[SlotDecision]:
    """Read schedules off a point whose whole columns are whole.

    Only slots that process chunks count, and only as many workers as these need: others are worth
    nothing.
    """
    packing = Packing(JobPricer(instance))
    now, jobs = packing.packed, packing.jobs
    finishes = form.column_block("finished").axes[0].members
    done = form.values(point, "finished") > 0
    served = np.zeros(instance.num_jobs, np.bool_)
    served[finishes[done][:, 0]] = True
    now.finish[served & (instance.chunks == 0)] = 0
    if not (instance.chunks > 0).any():
        return packing.decisions()
    pairs = form.column_block("processed").axes[0].members
    job, slot = pairs[:, 0], pairs[:, 1]
    processed = form.values(point, "processed").astype(np.int64)
    runs = served[job] & (processed.sum(axis=1) > 0)
    job, slot, processed = job[runs], slot[runs] - instance.arrival[job[runs]], processed[runs]
    at = jobs.begin[job] + slot
    now.workers[at] = -(-instance.epochs[job, None] * processed // instance.worker_rate[job, None])
    now.server[at] = form.values(point, "server")[runs].argmax(axis=1)
    now.moved[at] = (processed - form.values(point, "local")[runs].astype(np.int64)).sum(axis=1)
    np.maximum.at(now.finish, job, slot)
    return packing.decisions()
