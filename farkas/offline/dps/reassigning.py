"""Local search by integer programs: jobs near one that waits are placed anew, server by server.

Everything else stays where it is.  A program says which of these jobs are whole on which server of
their group, which are spread, and how; their parameter servers elsewhere are counted together, and
placed where they disturb least.  Ways that cost more at the prices of the bound than could be
gained at all are left out.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.repacking import Repacking
from farkas.offline.dps.timeline import Placed
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram
from farkas.relaxations.dps.server_trees import GroupTree, ServerTrees
from farkas.search_tolerances import FINE_GAP
from farkas.solvers import solve

FIRST_COLUMNS, MORE_COLUMNS, MOST_COLUMNS = 500, 3, 5_000
"""Jobs times servers of a program: at first, how many times as many when nothing is gained any
more, and the most."""
MOST_SECONDS, MOST_NODES = 10.0, 200
"""Limits of a program."""
WHOLE, SPREAD, WORKERS, PS, ELSEWHERE = range(5)
"""Columns: a job whole on a server, spread, its units on a server, its servers elsewhere."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PlaceColumns:
    """Columns of a program.

    Parameters
    ----------
    what, job, server
        `WHOLE` and so on; the job; the server, or -1.
    most
        Upper bound.
    """

    what: Ints
    job: Ints
    server: Ints
    most: Floats


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
        self.servers = {
            int(k): np.flatnonzero(self.market.installed_workers[:, k] > 0)
            for k in np.unique(self.market.worker_type)
        }

    def missing(self, tree: GroupTree) -> tuple[float, float]:
        """How much less a group earns at market prices than its tree, and its root, prove."""
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
        proved = (self.trees.grouped.in_money(units) for units in (tree.bound, tree.root.bound))
        tight, loose = (float(bound) - total for bound in proved)
        return tight, loose

    def moves(self, left: Callable[[], float], gap: float) -> Iterator[bool]:
        """Place jobs anew where most is missing; yields whether payments have risen.

        Parameters
        ----------
        left
            Seconds left.
        gap
            Share of the bound that may be missing in the end.
        """
        columns = FIRST_COLUMNS
        enough = gap * float(self.trees.bound) / (2 * max(1, len(self.trees.trees)))
        while columns <= MOST_COLUMNS:
            gains = False
            for tree in self.trees.trees:
                tried: set[int] = set()
                tight, loose = self.missing(tree)
                while tight > enough and left():
                    job = self._centre(tree, tried)
                    if job is None:
                        break
                    jobs = self.near(job, columns, loose)
                    gained = self.place(
                        jobs,
                        loose,
                        time_limit=min(left(), MOST_SECONDS),
                        gap=max(gap / 4, FINE_GAP),
                        solver_options={"mip_max_nodes": MOST_NODES},
                    )
                    yield gained
                    gains |= gained
                    tried.add(job)
                    if not gained:
                        # programs around the jobs next to it would be much the same
                        away = np.abs(self.market.arrival[jobs] - self.market.arrival[job])
                        tried.update(
                            jobs[np.argsort(away, kind="stable")[: len(jobs) // 2]].tolist()
                        )
                    else:
                        tight, loose = self.missing(tree)
            if not left():
                return
            if not gains:
                columns *= MORE_COLUMNS

    def _centre(self, tree: GroupTree, tried: set[int]) -> int | None:
        """Job that loses most where it is, at the prices of the bound; None where none loses."""
        home = tree.group.home
        best = np.maximum(np.maximum(*self.lost), 0.0)[home]
        now = np.zeros(len(home))
        for k, job in enumerate(home.tolist()):
            if self.packing.served[job]:
                now[k] = self.lost[0 if self.timeline.placed[job].whole else 1][job]
        loss = np.where(self.packing.paying[home], best - now, 0.0)
        loss[np.isin(home, np.array(sorted(tried), np.int64))] = 0.0
        if not len(loss) or loss.max() <= FINE_GAP * float(np.abs(best).max()):
            return None
        return int(home[int(loss.argmax())])

    def near(self, job: int, columns: int, room: float) -> Ints:
        """Jobs of the same type that arrive nearest, for about so many columns; ascending."""
        market, packing = self.market, self.packing
        same = packing.paying & (market.worker_type == market.worker_type[job])
        same &= packing.served | (np.maximum(*self.lost) > -room)
        able = np.flatnonzero(same)
        first, after = self.timeline.first, self.timeline.after[0]
        far = np.maximum(first[able] - after[job], first[job] - after[able])
        away = np.abs(market.arrival[able] - market.arrival[job])
        count = max(2, columns // max(1, len(self.servers[int(market.worker_type[job])])))
        chosen = able[np.lexsort((away, np.maximum(far, 0)))][:count]
        return np.sort(chosen)

    def place(self, jobs: Ints, room: float, **options: object) -> bool:
        """Place some jobs of one type anew; returns whether payments have risen.

        Parameters
        ----------
        jobs
            Ascending.
        room
            Most that can be gained.
        options
            Of the solver.
        """
        packing = self.packing
        before = {j: packing.take(j) for j in jobs.tolist() if packing.served[j]}
        ways = self._ways(jobs, room)
        start = self._start(ways, before)
        form = self._form(ways, jobs)
        answer = solve(form, start=start, **options)  # type: ignore[arg-type]
        earned = math.fsum(packing.payment[list(before)].tolist())
        if answer.raw_point is not None and answer.objective > earned * (1 + FINE_GAP):
            done = self._follow(ways, jobs, np.rint(answer.point).astype(np.int64))
            now = math.fsum(packing.payment[done].tolist())
            if now > earned:
                return True
            for job in done:
                packing.take(job)
        for job, where in before.items():
            packing.put(job, where)
        return False

    def _ways(self, jobs: Ints, room: float) -> PlaceColumns:
        market, timeline = self.market, self.timeline
        listed: list[tuple[int, int, int, float]] = []
        for job in jobs.tolist():
            asked, units = int(market.workers[job]), int(market.ps[job])
            if self.lost[0][job] >= -room:
                idle = timeline.idle(job, True)
                fits = (idle[0] >= asked) & (idle[1] >= units)
                listed += [(WHOLE, job, s, 1.0) for s in np.flatnonzero(fits).tolist()]
            if self.lost[1][job] >= -room:
                workers, ps = timeline.idle(job, False)
                own = self.servers[int(market.worker_type[job])]
                elsewhere = min(units, int(np.delete(ps, own).sum()))
                listed.append((SPREAD, job, -1, 1.0))
                for s in own.tolist():
                    if workers[s]:
                        listed.append((WORKERS, job, s, float(min(asked, workers[s]))))
                    if ps[s]:
                        listed.append((PS, job, s, float(min(units, ps[s]))))
                if elsewhere:
                    listed.append((ELSEWHERE, job, -1, float(elsewhere)))
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
            elif what == ELSEWHERE:
                own = self.servers[int(self.market.worker_type[job])]
                point[n] = where.ps[~np.isin(where.servers, own)].sum()
            else:
                point[n] = (where.workers if what == WORKERS else where.ps)[here].sum()
        return point

    def _form(self, ways: PlaceColumns, jobs: Ints) -> LinearForm:
        market, count = self.market, len(ways.job)
        row_of = np.searchsorted(jobs, ways.job)
        once = np.flatnonzero(ways.what <= SPREAD)
        parts = [(np.ones(len(once)), row_of[once], once)]
        lower, upper = [np.full(len(jobs), -np.inf)], [np.ones(len(jobs))]
        height = len(jobs)
        for units, pieces in ((market.workers, (WORKERS,)), (market.ps, (PS, ELSEWHERE))):
            piece = np.flatnonzero(np.isin(ways.what, pieces))
            spread = np.flatnonzero(ways.what == SPREAD)
            parts.append((np.ones(len(piece)), height + row_of[piece], piece))
            parts.append((-units[ways.job[spread]].astype(float), height + row_of[spread], spread))
            lower.append(np.zeros(len(jobs)))
            upper.append(np.zeros(len(jobs)))
            height += len(jobs)
        whole = ways.what == WHOLE
        first = self.timeline.first[ways.job]
        after = np.where(whole, self.timeline.after[1][ways.job], self.timeline.after[0][ways.job])
        kind = int(market.worker_type[jobs[0]])
        for side, unit in ((0, WORKERS), (1, PS)):
            held = np.where(whole, (market.workers, market.ps)[side][ways.job], 1).astype(float)
            types = np.full(count, kind) if side == 0 else market.ps_type[ways.job]
            users = np.flatnonzero(whole | (ways.what == unit))
            for server, other in sorted({(int(ways.server[u]), int(types[u])) for u in users}):
                here = users[(ways.server[users] == server) & (types[users] == other)]
                idle = self.timeline.idle_units(side, other)[server]
                height = _limits(parts, upper, height, here, held, ways.most, first, after, idle)
        away = np.flatnonzero(ways.what == ELSEWHERE)
        for other in np.unique(market.ps_type[ways.job[away]]).tolist():
            here = away[market.ps_type[ways.job[away]] == other]
            there = np.delete(self.timeline.idle_units(1, other), self.servers[kind], axis=0)
            idle = there.sum(axis=0)
            one = np.ones(count)
            height = _limits(parts, upper, height, here, one, ways.most, first, after, idle)
        values, at, columns = (np.concatenate(each) for each in zip(*parts, strict=True))
        lower.append(np.full(height - 3 * len(jobs), -np.inf))
        paid = np.where(ways.what <= SPREAD, self.packing.payment[ways.job], 0.0)
        return LinearForm(
            name="some jobs placed anew",
            sense="max",
            cost=paid,
            matrix=rows_of_scipy(sp.csr_array((values, (at, columns)), shape=(height, count))),
            row_lower=np.concatenate(lower),
            row_upper=np.concatenate(upper),
            lower=np.zeros(count),
            upper=ways.most,
            integer=np.ones(count, np.bool_),
        )

    def _follow(self, ways: PlaceColumns, jobs: Ints, point: Ints) -> list[int]:
        """Place jobs as a point says, as far as their servers elsewhere go; returns them."""
        market, timeline, done = self.market, self.timeline, []
        waiting = []
        for job in jobs.tolist():
            mine = np.flatnonzero((ways.job == job) & (point > 0))
            what = ways.what[mine]
            if (what == WHOLE).any():
                server = ways.server[mine[what == WHOLE][:1]]
                units = market.workers[job : job + 1], market.ps[job : job + 1]
                self.packing.put(job, Placed(server, *units))
                done.append(job)
            elif (what == SPREAD).any():
                waiting.append((job, mine))
        for job, mine in waiting:
            workers = np.zeros(market.num_servers, np.int64)
            ps = np.zeros(market.num_servers, np.int64)
            for n in mine.tolist():
                if ways.what[n] == WORKERS:
                    workers[ways.server[n]] += point[n]
                elif ways.what[n] == PS:
                    ps[ways.server[n]] += point[n]
            left = int(market.ps[job] - ps.sum())
            own = self.servers[int(market.worker_type[job])]
            idle_workers, idle = timeline.idle(job, False)
            idle = idle.copy()
            idle[own] = 0
            order = np.lexsort((idle, idle_workers))
            for at in order.tolist():
                taken = min(left, int(idle[at]))
                ps[at] += taken
                left -= taken
            used = np.flatnonzero(workers + ps)
            if left or len(used) < 2:
                continue
            self.packing.put(job, Placed(used, workers[used], ps[used]))
            done.append(job)
        return done


def _limits(
    parts: list[tuple[Floats, Ints, Ints]], upper: list[Floats], height: int, users: Ints,
    held: Floats, most: Floats, first: Ints, after: Ints, idle: Ints,
) -> int:  # fmt: skip
    """Append the rows of a resource over the slots of its users; returns the height after them.

    Users change where one begins or ends; what is idle in between is the least there.
    """
    edges = np.unique(np.concatenate([first[users], after[users]]))
    least: list[int] = []
    if len(edges) > 1:
        least = np.minimum.reduceat(np.append(idle, idle[-1:]), edges)[:-1].tolist()
    previous: Bools | None = None
    rows: list[tuple[Bools, float]] = []
    for begin, fewest in zip(edges[:-1].tolist(), least, strict=True):
        here = (first[users] <= begin) & (after[users] > begin)
        if previous is not None and rows and rows[-1][1] >= fewest and not (previous & ~here).any():
            rows.pop()  # the same users and more, with no more room
        rows.append((here, float(fewest)))
        previous = here
    for here, room in rows:
        chosen = users[here]
        if (held * most)[chosen].sum() <= room:
            continue
        parts.append((held[chosen], np.full(len(chosen), height), chosen))
        upper.append(np.array([room]))
        height += 1
    return height
