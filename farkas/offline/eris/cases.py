"""A better bound on the welfare, by cases of when the jobs complete that prices cannot place.

A linear program lets jobs that compete for the same slots complete early with half of their worth
each.  Of the case with the largest bound one job is looked for whose completions are spread the
most, and the case is split there: it completes by then, or later.  Each part is an auction of its
own (`farkas.certificates.eris_cases`), whose prices come from column generation that begins with
the schedules and prices of the whole.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.eris import proof_steps, short
from farkas.certificates.eris_cases import (
    MOST_STEPS,
    CaseSplit,
    ErisCases,
    Windows,
    parts_of,
    prove_case,
    within,
)
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.offline.eris.choice import CLOSE, chosen_columns, follow
from farkas.offline.eris.packing import Packing
from farkas.offline.ladder import Ascent, Rung
from farkas.online.run import Bound
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns, finishes
from farkas.relaxations.eris.schedule_master import ScheduleMaster
from farkas.relaxations.eris.welfare_bound import prohibitive
from farkas.solvers import solve

# The linear relaxation of (3) for many jobs: columns by dynamic programming, round by round.
#
# Every round's prices bound the welfare; what proves the bound, `farkas.certificates.eris`, derives
# it anew.


#: Share of the best prices so far in those that are asked next, where sites have their own.
INSIDE = 0.5
MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedRound:
    """State after a round."""

    bound: float  #: Least so far, in doubles.
    prices: Prices  #: That give it.
    value: float  #: Optimum of the master before the round; -inf before the first.
    columns: ScheduleColumns  #: All schedules of the master.

    @property
    def distance(self) -> float:
        """Of bound and master, as a share of the bound."""
        return (self.bound - self.value) / self.bound if self.bound > 0 else 0.0


def price_columns(
    pricer: JobPricer,
    deadline: Deadline,
    start: Prices | None = None,
    known: ScheduleColumns | None = None,
    *,
    pooled: bool,
) -> Iterator[PricedRound]:
    """Price all jobs round by round until no schedule enters.

    Raises `OutOfTime`: the deadline came; `NoAnswer`: HiGHS has no prices.

    Parameters
    ----------
    deadline
        No round begins after it.
    start
        First prices; nothing costs anything without.
    known
        Schedules that are known already.
    pooled
        Whether prices are the same at every site.
    """
    auction = pricer.auction
    master = ScheduleMaster(auction, pooled=pooled)
    prices = prohibitive(auction, Prices.zero(auction)) if start is None else start
    best, least, value = prices, np.inf, -np.inf
    columns, many, inside = known, -1, 0.0
    for _ in range(MOST_ROUNDS):
        deadline.check()
        bound = pricer.bound(prices)
        if bound < least:
            best, least = prices, bound
        found = pricer.columns()
        columns = found if columns is None else columns.join(found)
        yield PricedRound(least, best, value, columns)
        settled = len(columns.job) == many
        if settled and not inside:  # no schedule enters at the prices of the master itself
            return
        many = len(columns.job)
        try:
            outside, value = master.prices(columns, deadline.left)
        finally:
            deadline.check()
        inside = 0.0 if pooled or settled else INSIDE
        prices = Prices(
            inside * best.transfer + (1.0 - inside) * outside.transfer,
            inside * best.resource + (1.0 - inside) * outside.resource,
        )


MOST_LEAVES = 64  #: Cases of a tree.
#: Cases after which a tree is given up unless it will end with `MOST_LEAVES` at its pace.
EARLY = 8
PATIENCE = 4  #: Rounds of prices without progress after which a case is left as it is.
METHOD = "cases of when jobs complete"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedCase:
    """A leaf of the tree."""

    windows: Windows  #: Of its completions.
    bound: Fraction  #: Proved.
    prices: Prices  #: That prove it.
    pricer: JobPricer  #: Of the auction that it is.
    columns: ScheduleColumns  #: Schedules of that auction.

    @property
    def auction(self) -> Auction:
        return self.pricer.auction


@dataclasses.dataclass(slots=True, eq=False)
class CaseNode:
    """A case, whether its schedules were packed, and what it was split into."""

    case: PricedCase
    packed: bool = False
    split: CaseSplit | None = None
    parts: tuple[CaseNode, ...] = ()

    def preorder(self) -> Iterator[CaseNode]:
        """Nodes of the tree below."""
        yield self
        for part in self.parts:
            yield from part.preorder()


def cases(instance: Auction, ascent: Ascent) -> Iterator[Rung]:
    """Split the case with the largest bound until all are near enough, or it does not pay."""
    if ascent.value is None:
        return
    most = int(min(MOST_LEAVES, MOST_STEPS / proof_steps(instance)))
    try:
        root = CaseNode(priced_case(instance, {}, None, ascent), packed=True)
        first, leaves = root.case.bound, [root]
        while len(leaves) < most:
            node = max(leaves, key=lambda node: node.case.bound)
            worst, wanted = node.case.bound, ascent.value / (1 - ascent.gap)
            if worst <= wanted or not pays(len(leaves), first, worst, wanted):
                return
            if not node.packed:
                node.packed = True
                yield from packed(node.case, ascent)
            split = best_split(instance, node.case, ascent)
            if split is None:
                return
            windows = parts_of(instance, node.case.windows, split)
            parts = [priced_case(instance, one, node.case, ascent) for one in windows]
            node.split, node.parts = split, tuple(map(CaseNode, parts))
            leaves.remove(node)
            leaves += node.parts
            yield from _proved(instance, root, ascent)
    except OutOfTime:  # whatever was proved by then was told
        return
    except NotACertificate as error:  # for example sums of worths beyond all doubles
        raise NoAnswer(f"{METHOD}: {error}") from error


def pays(leaves: int, first: Fraction, worst: Fraction, wanted: Fraction) -> bool:
    """Whether the bound falls so fast that a tree of `MOST_LEAVES` would be enough."""
    fell = first - worst
    return leaves < EARLY or fell * MOST_LEAVES >= (first - wanted) * leaves


def _proved(instance: Auction, root: CaseNode, ascent: Ascent) -> Iterator[Rung]:
    """Certify the tree where it is better than what is known."""
    nodes = list(root.preorder())
    leaves = [node.case for node in nodes if not node.parts]
    bound = max(case.bound for case in leaves)
    if ascent.better_bound(bound):
        prices = [(case.prices.transfer, case.prices.resource) for case in leaves]
        made = ErisCases.of(instance, [node.split for node in nodes], prices, bound)
        yield Rung(METHOD, bound=Bound.of(bound, METHOD, made.plain()))


def priced_case(
    instance: Auction, windows: Windows, above: PricedCase | None, ascent: Ascent
) -> PricedCase:
    """Find prices of a case, and prove what they bound.

    ``above``: case of which this is a part, whose schedules and prices are the first; None without.
    """
    auction, _ = within(instance, windows)
    pricer = JobPricer(auction)
    known = None if above is None else worth_again(above.columns, pricer)
    start = None if above is None else above.prices
    small, waited, best = CLOSE * float(ascent.gap), 0, np.inf
    found = None
    for found in price_columns(pricer, ascent.deadline, start, known, pooled=True):
        waited = 0 if found.bound < best * (1.0 - small) else waited + 1
        best = min(best, found.bound)
        if found.distance <= small or waited > PATIENCE:
            break
    assert found is not None
    prices = Prices(short(found.prices.transfer), short(found.prices.resource))
    bound = prove_case(instance, windows, prices.transfer, prices.resource)
    return PricedCase(windows, bound, prices, pricer, found.columns)


def worth_again(columns: ScheduleColumns, pricer: JobPricer) -> ScheduleColumns:
    """Schedules of another case as this one values them; those worth nothing are left out."""
    table, delay = pricer.jobs, finishes(columns, pricer.auction)
    worth = table.worth[table.begin[columns.job] + delay]
    again = dataclasses.replace(columns, worth=worth)
    return again.taken(np.flatnonzero(worth > 0))


def best_split(instance: Auction, case: PricedCase, ascent: Ascent) -> CaseSplit | None:
    """Split whose both parts forbid the linear program the most; None where nothing is spread.

    The shares of a job's schedules that complete by a delay and later, the lesser of both, times
    the worth that lies between them.
    """
    master = ScheduleMaster(case.auction, pooled=True)
    form, _ = master.form(case.columns, integer=False)
    answer = solve(form, time_limit=ascent.deadline.left)
    ascent.deadline.check()
    if not answer.has_point:
        return None
    share, delay = np.maximum(answer.point, 0.0), finishes(case.columns, case.auction)
    best, found = 0.0, None
    for job in np.unique(case.columns.job[share > CLOSE]).tolist():
        of_job = case.columns.job == job
        utility = np.array(instance.jobs[job].utility)
        first, last = case.windows.get(job, (0, len(utility) - 1))
        at = np.clip(delay[of_job], first, last)
        shares = np.bincount(at, share[of_job], minlength=last + 1).astype(np.float64)
        score, threshold = spread(shares, utility[: last + 1], first, last)
        if score > best:
            best, found = score, CaseSplit(job=job, delay=threshold)
    return found


def spread(shares: Floats, utility: Floats, first: int, last: int) -> tuple[float, int]:
    """Largest score of a threshold, and the threshold."""
    by = np.cumsum(shares)[first:last]
    earned = np.cumsum(shares * utility)[first:last]
    total, worth = float(shares.sum()), float((shares * utility).sum())
    if not len(by):
        return 0.0, first
    after = np.maximum(max(total, 1.0) - by, 0.0)  # later, or not at all
    early = np.divide(earned, by, out=np.zeros_like(by), where=by > 0)
    late = np.divide(worth - earned, after, out=np.zeros_like(by), where=after > 0)
    scores = np.minimum(by, after) * (early - late)
    place = int(scores.argmax())
    return float(scores[place]), first + place


def packed(case: PricedCase, ascent: Ascent) -> Iterator[Rung]:
    """Choose among the schedules of a case, and pack what is chosen."""
    packing = Packing(case.pricer)
    packing.price(case.prices)
    case.pricer.bound(case.prices)
    payoff = case.pricer.chosen.payoff.copy()
    master = ScheduleMaster(case.auction, pooled=True)
    plan = chosen_columns(master, case.columns, case.prices, payoff, ascent)
    if plan is not None:
        follow(packing, plan, ascent)
        packing.fill(np.argsort(-payoff, kind="stable"))
        yield Rung("choice of schedules in a case", packing.decisions())
