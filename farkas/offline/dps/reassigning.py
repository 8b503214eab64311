"""Local search by integer programs: jobs near one that waits are placed anew, server by server.

Everything else stays where it is.  A program says which of these jobs are whole on which server of
their group, which are spread, and where all their units are.  Ways that cost more at the prices of
the bound than could be gained at all are left out.  Programs take jobs of one group, or of all of
them: groups meet in the parameter servers that spread jobs hold on each other's servers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np

from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.place_program import (
    MOST_NODES,
    PS,
    SPREAD,
    WHOLE,
    WORKERS,
    PlaceColumns,
    best_places,
    place_form,
)
from farkas.offline.dps.repacking import FAIR_SHARE, Repacking
from farkas.offline.dps.timeline import Placed
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram
from farkas.relaxations.dps.server_trees import GroupTree, ServerTrees
from farkas.tolerances import FINE_GAP

#: Jobs of a program at first, or as many as have so many columns, jobs times servers, if these are
#: more; how many times as many when nothing is gained any more; and the most columns.
FIRST_JOBS, FIRST_COLUMNS, MORE_COLUMNS, MOST_COLUMNS = 40, 500, 3, 10_000
#: Share of what could be gained at all that a job may lose at the prices of the bound.
ROOM = 0.125
MOST_IDLE = 12  #: Programs in a row that gain nothing, after which other moves have their turn.
#: Work of a program that HiGHS solves without iterations; what surrounds it takes as long.
LEAST_WORK = 1e5


@dataclasses.dataclass(slots=True, eq=False)
class Neighbourhoods:
    """How far the programs of a group, or of all groups, have come."""

    jobs: Ints  #: Of the group.
    servers: Ints  #: Which hold its workers.
    tree: GroupTree | None = None  #: Of the group; None of all groups.
    columns: int = 0  #: Jobs times servers of its next program.
    #: Jobs around which programs of this size gain nothing.
    tried: set[int] = dataclasses.field(default_factory=set)
    gained: bool = False  #: Whether one of this size has.
    work: float = LEAST_WORK  #: Of its last program: simplex iterations times columns.
    idle: int = 0  #: Programs in a row that gained nothing.
    over: bool = False  #: Whether nothing is left to try.

    def __post_init__(self) -> None:
        self.columns = max(FIRST_COLUMNS, FIRST_JOBS * len(self.servers))

    def next_round(self) -> None:
        """Go through the jobs again, in larger programs as far as there are any."""
        self.tried = set()
        if self.columns * MORE_COLUMNS <= MOST_COLUMNS:
            self.columns *= MORE_COLUMNS
            self.work *= MORE_COLUMNS**2
        else:
            self.over = not self.gained
        self.gained = False


class Reassigning:
    """Places jobs anew by integer programs.

    Parameters
    ----------
    packing
        Where jobs are; changed.
    program, priced
        By class, and its prices.
    trees
        Of groups, which say what each can earn.
    """

    def __init__(
        self,
        packing: Repacking,
        program: ServerProgram,
        priced: PricedServers,
        trees: ServerTrees,
    ) -> None:
        self.packing, self.timeline = packing, packing.timeline
        self.market, self.trees, self.classes = program.market, trees, program.classes
        charge = program.least_charges(priced)
        self.lost = packing.payment - charge[0], packing.payment - charge[1]
        """What jobs pay beyond their charge, whole and spread."""
        prices = trees.market_prices
        self.ps_price = np.ldexp(prices.ps_numbers.astype(float), -prices.scale)
        self.group_of: Ints = np.full(self.market.num_jobs, -1)
        """Group of each job's home, -1 of who fits nowhere."""
        self.servers: list[Ints] = []
        """Servers of each group."""
        for number, tree in enumerate(trees.trees):
            self.group_of[tree.group.home] = number
            self.servers.append(np.flatnonzero(np.isin(self.classes.of, tree.group.own)))
        self.groups = [
            Neighbourhoods(tree.group.home, own, tree)
            for tree, own in zip(trees.trees, self.servers, strict=True)
        ]
        if len(self.groups) > 1:
            everybody = np.flatnonzero(self.group_of >= 0)
            self.groups.append(Neighbourhoods(everybody, np.arange(self.market.num_servers)))
        self.aim = float(sum(trees.grouped.in_money(tree.aim) for tree in trees.trees))
        """What the best whole jobs by class earn, with the market price of all parameter servers.
        """
        self.over = False
        """Whether nothing was left to try."""
        self.work = 0.0
        """Of the last program: simplex iterations times columns."""

    def missing(self, tree: GroupTree) -> tuple[float, float]:
        """How much less a group earns at market prices than it may, and than its root proves."""
        home, market, prices = tree.group.home, self.market, self.trees.market_prices
        earned = self.trees.grouped.in_money(tree.worth)
        total = float(earned)
        horizon, width = market.horizon, market.num_ps_types
        before = np.concatenate([[0.0], np.cumsum(self.ps_price)])
        for job in home[self.packing.served[home]].tolist():
            total += float(self.packing.payment[job])
            where = self.timeline.placed[job]
            last = self.timeline.last_slot(job)
            row = self.classes.of[where.servers] * width + market.ps_type[job]
            begin = row * horizon + int(market.arrival[job])
            ends = np.searchsorted(prices.ps_positions, row * horizon + last, side="right")
            begins = np.searchsorted(prices.ps_positions, begin)
            total -= float((where.ps * (before[ends] - before[begins])).sum())
        proved = (self.trees.grouped.in_money(units) for units in (tree.aim, tree.root.bound))
        aim, loose = (float(bound) - total for bound in proved)
        return aim, loose

    def moves(self, left: Callable[[], float], gap: float) -> Iterator[bool]:
        """Place jobs anew where most is missing for the work; yields whether payments have risen.

        Ends when nothing is left to try, or many programs in a row gained nothing; called again it
        goes on.

        Parameters
        ----------
        left
            Seconds left.
        gap
            Share of the bound that may be missing in the end.
        """
        share = max(gap / (2 * max(1, len(self.trees.trees))), FINE_GAP)
        enough, idle = share * float(self.trees.bound), 0
        missing = self._all_missing()
        while left() and idle < MOST_IDLE:
            able = [n for n, group in enumerate(self.groups) if not group.over]
            able = [n for n in able if missing[n][0] > enough]
            if not able:
                self.over = True
                return
            chosen = max(able, key=lambda n: (self._promise(n, missing[n][0]), -n))
            group = self.groups[chosen]
            job = self._centre(group)
            if job is None:
                group.next_round()
                continue
            gained = self._around(job, group, missing[chosen][1], left(), gap)
            yield gained
            idle = 0 if gained else idle + 1
            if gained:
                missing = self._all_missing()

    def _promise(self, number: int, missing: float) -> float:
        """Return what a group may gain for the work of its next program, less for each in vain."""
        group = self.groups[number]
        return missing / (group.work * (1 + group.idle))

    def short(self) -> tuple[float, float]:
        """Return how much less is earned than may be, as `missing` says it of a group."""
        return self._all_missing()[-1]

    def _all_missing(self) -> list[tuple[float, float]]:
        """Most that programs of each group may gain, and what they are sure not to gain more than.

        That is what the group misses, and what idle parameter servers would bring at market prices;
        last that of all groups.
        """
        missing = [self.missing(tree) for tree in self.trees.trees]
        short = self.aim - self.packing.value
        idle = max(0.0, short - math.fsum(aim for aim, _ in missing))
        found = [(aim + idle, loose + idle) for aim, loose in missing]
        loose = math.fsum(loose for _, loose in missing) + idle
        return [*found, (short, loose)]

    def _around(
        self, job: int, group: Neighbourhoods, room: float, seconds: float, gap: float
    ) -> bool:
        """Place anew a job and those near it; returns whether payments have risen."""
        room *= ROOM
        able = self._able(group, room)
        jobs = self._nearest(job, able, group)
        gained = self.place(
            jobs,
            room,
            time_limit=seconds,
            gap=max(gap / 4, FINE_GAP),
        )
        group.gained |= gained
        group.idle = 0 if gained else group.idle + 1
        group.work = max(LEAST_WORK, self.work)
        group.tried.add(job)
        if not gained:
            group.over = len(jobs) == len(able)
            # programs around the jobs next to it would be much the same
            away = np.abs(self.market.arrival[jobs] - self.market.arrival[job])
            group.tried.update(jobs[np.argsort(away, kind="stable")[: len(jobs) // 2]].tolist())
        return gained

    def _centre(self, group: Neighbourhoods) -> int | None:
        """Job that loses most where it is, at the prices of the bound; None where none loses."""
        home = group.jobs
        loss, best = self.losses()[home], np.maximum(*self.lost)[home]
        loss[np.isin(home, np.array(sorted(group.tried), np.int64))] = 0.0
        if not len(loss) or loss.max() <= FINE_GAP * float(np.abs(best).max()):
            return None
        return int(home[int(loss.argmax())])

    def losses(self) -> Floats:
        """Return what each job's best way pays beyond its charge and its present one does not."""
        best, now = np.maximum(np.maximum(*self.lost), 0.0), np.zeros(self.market.num_jobs)
        for job, where in self.timeline.placed.items():
            now[job] = self.lost[0 if where.whole else 1][job]
        return np.where(self.packing.paying, best - now, 0.0)

    def _able(self, group: Neighbourhoods, room: float) -> Ints:
        """Jobs of a group that are served, or lose less than ``room`` when they are."""
        may = self.packing.served | (np.maximum(*self.lost) > -room)
        return group.jobs[(self.packing.paying & may)[group.jobs]]

    def _nearest(self, job: int, able: Ints, group: Neighbourhoods) -> Ints:
        """Those of ``able`` that arrive nearest, for about as many columns; ascending."""
        market = self.market
        first, after = self.timeline.first, self.timeline.after[0]
        far = np.maximum(first[able] - after[job], first[job] - after[able])
        away = np.abs(market.arrival[able] - market.arrival[job])
        count = max(2, group.columns // max(1, len(group.servers)))
        chosen = able[np.lexsort((away, np.maximum(far, 0)))][:count]
        return np.sort(chosen)

    def place(
        self,
        jobs: Ints,
        room: float,
        modes: dict[int, int] | None = None,
        among: Bools | None = None,
        nodes: int = MOST_NODES,
        **options: object,
    ) -> bool:
        """Place some jobs anew; returns whether payments have risen.

        Parameters
        ----------
        jobs
            Ascending.
        room
            Most that a job may lose to its best way, at the prices of the bound.
        modes
            Of jobs that are not served, 0 whole and 1 spread, where those that are keep theirs.
        among
            Servers that jobs may go to, shape (servers,); all by default.
        options
            Of the solver.
        """
        packing = self.packing
        before = {j: packing.take(j) for j in jobs.tolist() if packing.served[j]}
        if modes is not None:
            modes = {**modes, **{j: 0 if where.whole else 1 for j, where in before.items()}}
        ways = self._ways(jobs, room, before, modes, among)
        start = self._start(ways, before)
        form = place_form(ways, jobs, self.timeline, packing.payment)
        point, self.work = best_places(form, ways.job, start, nodes, **options)
        earned = math.fsum(packing.payment[list(before)].tolist())
        if point is not None and form.objective(point) >= earned * (1 - FINE_GAP):
            done = self._follow(ways, jobs, np.rint(point).astype(np.int64))
            now = math.fsum(packing.payment[done].tolist())
            if now >= earned:  # other places that earn the same may let others move
                return now > earned * (1 + FINE_GAP)
            for job in done:
                packing.take(job)
        for job, where in before.items():
            packing.put(job, where)
        return False

    def _ways(
        self,
        jobs: Ints,
        room: float,
        before: dict[int, Placed],
        modes: dict[int, int] | None = None,
        among: Bools | None = None,
    ) -> PlaceColumns:
        """Where jobs may be: as they were, or where they lose at most ``room`` to their best.

        Where there are modes, a job is placed in its own only; where only some servers are open, on
        these and on its own.
        """
        market, timeline = self.market, self.timeline
        least = np.maximum(np.maximum(*self.lost), 0.0) - room
        listed: list[tuple[int, int, int, float]] = []
        for job in jobs.tolist():
            was = before[job].whole if job in before else None
            asked, units = int(market.workers[job]), int(market.ps[job])
            near = np.ones(market.num_servers, np.bool_) if among is None else among.copy()
            near[before[job].servers if job in before else []] = True
            may = (True, True) if modes is None else (modes[job] == 0, modes[job] == 1)
            if may[0] and (was is True or self.lost[0][job] >= least[job]):
                idle = timeline.idle(job, True)
                fits = near & (idle[0] >= asked) & (idle[1] >= units)
                listed += [(WHOLE, job, s, 1.0) for s in np.flatnonzero(fits).tolist()]
            if may[1] and (was is False or self.lost[1][job] >= least[job]):
                listed.append((SPREAD, job, -1, 1.0))
                workers, ps = timeline.idle(job, False)
                for unit, most, free in ((WORKERS, asked, workers), (PS, units, ps)):
                    there = np.flatnonzero(near & (free > 0)).tolist()
                    listed += [(unit, job, s, float(min(most, free[s]))) for s in there]
        columns = np.array(listed, float).reshape(-1, 4)
        what, job_of, server = columns[:, :3].astype(np.int64).T
        return PlaceColumns(what, job_of, server, columns[:, 3])

    def _start(self, ways: PlaceColumns, before: dict[int, Placed]) -> Floats:
        """Where the jobs were, as a point."""
        point = np.zeros(len(ways.job))
        for n, (what, job, server) in enumerate(
            zip(ways.what.tolist(), ways.job.tolist(), ways.server.tolist(), strict=True)
        ):
            where = before.get(job)
            if where is None or where.whole != (what == WHOLE):
                continue
            here = where.servers == server
            if what == WHOLE:
                point[n] = here.any()
            elif what == SPREAD:
                point[n] = 1
            else:
                point[n] = (where.workers if what == WORKERS else where.ps)[here].sum()
        return point

    def _follow(self, ways: PlaceColumns, jobs: Ints, point: Ints) -> list[int]:
        """Place jobs as a point says; returns them."""
        done, count, taken = [], self.market.num_servers, np.flatnonzero(point > 0)
        for job in jobs.tolist():
            mine = taken[ways.job[taken] == job]
            what, server, units = ways.what[mine], ways.server[mine], point[mine]
            if (what == WHOLE).any():
                server = server[what == WHOLE][:1]
                asked = self.market.workers[job : job + 1], self.market.ps[job : job + 1]
                self.packing.put(job, Placed(server, *asked))
            elif (what == SPREAD).any():
                workers, ps = (
                    np.bincount(server[what == one], units[what == one], count).astype(np.int64)
                    for one in (WORKERS, PS)
                )
                # all on one server: the job runs there as a whole, no longer than spread
                used = np.flatnonzero(workers + ps)
                self.packing.put(job, Placed(used, workers[used], ps[used]))
            else:
                continue
            done.append(job)
        return done


# Room for jobs that a plan by classes serves and that find no server with enough idle units.
#
# What classes of servers can hold together, their servers can hold nearly always, but not where
# jobs lie that were placed one by one.


#: Jobs beside one that has no room: at first, how many times as many when nothing is gained any
#: more, and the most.
BESIDE, MORE_BESIDE, MOST_BESIDE = 60, 2, 120
ROOM_NODES = 50  #: Nodes of a program.


def make_room(anew: Reassigning, plan: Floats, left: Callable[[], float]) -> Iterator[bool]:
    """Place planned jobs that wait, the dearest first; yields whether payments have risen.

    Jobs beside one of them may change servers, or leave, but none that is whole is spread or the
    other way round: with so few columns most programs take 0.02 to 0.1 seconds.  Ends when
    many in a row gain nothing, as where the plan is far from what can be placed.

    Parameters
    ----------
    anew
        Where jobs are; changed.
    plan
        Share of each job that is whole, and spread; shape (jobs, 2).
    left
        Seconds left.
    """
    packing, beside = anew.packing, BESIDE
    planned = np.flatnonzero((plan > FAIR_SHARE).any(axis=1) & packing.paying)
    modes = np.argmax(plan, axis=1)
    while beside <= MOST_BESIDE:
        waiting = planned[~packing.served[planned]]
        moved, idle = False, 0
        for job in waiting[np.argsort(-packing.payment[waiting], kind="stable")].tolist():
            if idle >= MOST_IDLE or not left():
                return
            if packing.served[job]:
                continue  # others made room
            mode = int(modes[job])
            gained = anew.place(
                _beside(anew, job, mode, beside),
                math.inf,
                modes={job: mode},
                nodes=ROOM_NODES,
                time_limit=left(),
                gap=FINE_GAP,
            )
            moved, idle = moved or gained, 0 if gained else idle + 1
            yield gained
        if not moved:
            beside *= MORE_BESIDE


def _beside(anew: Reassigning, job: int, mode: int, count: int) -> Ints:
    """Find who is served in a job's group while it would run; the nearest and the job, sorted."""
    timeline, packing = anew.timeline, anew.packing
    first, after = timeline.first, timeline.after
    same = np.flatnonzero(packing.served & (anew.group_of == anew.group_of[job]))
    whole = np.array([timeline.placed[other].whole for other in same.tolist()], np.bool_)
    ends = np.where(whole, after[1][same], after[0][same])
    near = same[(first[same] < after[1 - mode][job]) & (ends > first[job])]
    away = np.abs(anew.market.arrival[near] - anew.market.arrival[job])
    return np.sort(np.append(near[np.argsort(away, kind="stable")[:count]], job))
