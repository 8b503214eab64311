"""What of an auction's bound may be spread over workers: proofs of payoffs, job by job.

Pricing is not: at 5,000 jobs the compiled dynamic program takes hundredths of a second a round.
"""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import msgspec

from farkas.certificates.eris import Payoffs, prove_payoffs
from farkas.executor import Executor
from farkas.instances.eris import Auction
from farkas.numbers import Floats

JOB_STEPS = 1e4  #: Steps that proving the payoff of a job takes, at a guess.
PARTS = 2  #: Of the jobs for each worker; the more, the more calls of numpy.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PayoffsToProve:
    """Jobs from ``begin`` up to ``end``, and prices as `prove_payoffs` takes them."""

    begin: int
    end: int
    transfer: Floats
    resource: Floats


class PayoffProofs:
    """Proves bounds on the payoffs of some jobs."""

    kernels = ()

    def __init__(self, auction: Auction) -> None:
        self._auction = auction
        self._parts: dict[tuple[int, int], Auction] = {}

    def __call__(self, task: PayoffsToProve) -> Fraction:
        """Prove a part of the sum of `prove_payoffs`, which is exact."""
        some = task.begin, task.end
        if some not in self._parts:
            jobs = self._auction.jobs[task.begin : task.end]
            self._parts[some] = msgspec.structs.replace(self._auction, jobs=jobs)
        return prove_payoffs(self._parts[some], task.transfer, task.resource)


def payoffs_by(executor: Executor) -> Payoffs:
    """Let others prove payoffs, where there are others."""

    def payoffs(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
        if not executor.elsewhere:
            return prove_payoffs(auction, transfer, resource)
        jobs, parts = auction.num_jobs, PARTS * executor.width
        ends = [jobs * k // parts for k in range(parts + 1)]
        tasks = [
            PayoffsToProve(begin, end, transfer, resource)
            for begin, end in itertools.pairwise(ends)
            if begin < end
        ]
        steps = [JOB_STEPS * (task.end - task.begin) for task in tasks]
        return sum(executor.each(PayoffProofs(auction), auction, tasks, steps), Fraction(0))

    return payoffs
