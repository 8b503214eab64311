"""What Theorem 5 assumes of jobs, held against those that a published run accepts."""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any

from farkas.instances.eris import Auction
from farkas.online.eris.environment import Ledger
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, drawn


@dataclasses.dataclass(frozen=True)
class PublishedJob:
    """A job that Eris accepts in the published setting, and what its schedule uses."""

    example: Mapping[str, Any]  #: How to cite it.
    worth: float  #: Of its schedule.
    #: transfer, units: volumes Σψ in MB and Σφ in units.
    transfer: float
    units: float
    share: float  #: Largest share of a capacity that it uses in a slot.


@functools.cache
def accepted_jobs(num_jobs: int = 50, seed: int = 1) -> tuple[PublishedJob, ...]:
    """Jobs accepted in a run with the repaired scheduler in the published setting."""
    sample = drawn(Auction, seed=seed, num_jobs=num_jobs)
    ledger, accepted = Ledger(sample), []
    for index, job in enumerate(sample.jobs):
        seen = ledger.meet(job)
        found = repaired_schedule(sample, job, seen)
        if not found.pays:
            continue
        before, moved = ledger.used.copy(), ledger.transferred.copy()
        ledger.book(job, seen, found)
        units, transfer = ledger.used - before, ledger.transferred - moved
        shares = units / sample.capacity[:, :, None], transfer / sample.transfer_budget
        accepted.append(
            PublishedJob(
                {"preset": "published", "seed": seed, "num_jobs": num_jobs, "job": index},
                found.worth,
                float(transfer.sum()),
                float(units.sum()),
                max(float(share.max()) for share in shares),
            )
        )
    return tuple(accepted)


@claim("eris.use_is_small", source="Eris section V, proof of Theorem 5, unstated assumption")
def use_is_small() -> Verdict:
    """A job uses at most 1/log2(γ) of every capacity in every slot.

    Needed to apply 2^x - 1 <= x.  Tried on the accepted jobs of one run of 50 in the published
    setting, where γ = 1000 allows 10 %.
    """
    trials = Trials()
    most = 1 / math.log2(drawn(Auction, seed=1, num_jobs=1).price_base_transfer)
    for job in accepted_jobs():
        trials.add(job.example, Stated(job.share, "<=", most))
    above = sum(job.share > most for job in accepted_jobs())
    note = f"{above} of {trials.runs} accepted jobs use more than is allowed"
    return trials.verdict(note, share_allowed=most)


@claim("eris.worth_exceeds_volume", source="Eris Theorem 5, assumption f/Σψ >= 1, f/Σφ >= 1")
def worth_exceeds_volume() -> Verdict:
    """Accepted jobs are worth at least their volume of transfer and of resources.

    Nothing in Algorithm 1 ensures it, and it depends on units: worth is compared with megabytes.
    Tried on the accepted jobs of one run of 50 in the published setting.
    """
    trials = Trials()
    for job in accepted_jobs():
        both = Stated(job.worth, ">=", job.transfer), Stated(job.worth, ">=", job.units)
        trials.add(job.example, *both)
    short = sum(job.worth < max(job.transfer, job.units) for job in accepted_jobs())
    return trials.verdict(f"worth is below the volume for {short} of {trials.runs} accepted jobs")
