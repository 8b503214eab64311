"""Runs of a broker, replayed: whole placements, or the fractional ones of Algorithm 1."""

from __future__ import annotations

from farkas.errors import NotACertificate
from farkas.instances.mlbroker import FRACTIONAL, Brokerage
from farkas.replay.base import Decided, Replayed, replays


@replays.register("mlbroker")
def replay(instance: Brokerage, run: Decided) -> Replayed:
    """Replay whole or fractional decisions, whichever the run's algorithm makes."""
    if run.algorithm in FRACTIONAL:
        from farkas.replay.mlbroker_fractional import replay_fractional

        return replay_fractional(instance, run)
    from farkas.replay.mlbroker_whole import replay_placements

    return replay_placements(instance, run)


def require_slots(instance: Brokerage, jobs: list[list[int]]) -> None:
    """Raise `NotACertificate` unless every slot is decided, for its active jobs in order."""
    if len(jobs) != instance.num_slots:
        raise NotACertificate(f"the run decides {len(jobs)} slots of {instance.num_slots}")
    for slot, found in enumerate(jobs):
        if found != instance.jobs_at(slot).tolist():
            raise NotACertificate(f"the run's slot {slot} is not about its active jobs")
