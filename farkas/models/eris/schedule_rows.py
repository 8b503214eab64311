"""Rows of one job's schedule, (2a)-(2c), (2f), (2g), (2i): for (2), (5) and (7) alike.

Chunks are written by totals here, every move by itself in `farkas.models.eris.schedule_rows`.
"""

from collections.abc import Sequence

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint
from farkas.instances.eris import Auction


class ScheduleRows(Program):
    """Rows (2a)-(2c), (2f), (2g), (2i) for some jobs, and the rows that count remote workers.

    The number of chunks a site processes and how many of them it stores itself decide everything:
    which site a moved chunk leaves makes no difference to (2d), and flows with these totals exist
    by the transportation theorem.  A job without data completes on arrival and uses nothing.
    """

    kind = "eris"
    sense = "max"

    def declare_schedules(self, m, auction: Auction, jobs: Sequence[int]) -> None:
        """Declare slots, sites and variables of ``jobs``."""
        chosen = np.array(jobs, dtype=np.int64)
        busy = [int(i) for i in chosen if auction.chunks[i] > 0]
        slots = range(auction.slots)
        pairs = [(i, t) for i in busy for t in slots if t >= auction.arrival[i]]
        idle = [(int(i), int(auction.arrival[i])) for i in chosen if auction.chunks[i] == 0]
        m.jobs = Set(chosen, label="job")
        m.busy_jobs = Set(busy, label="job")
        m.sites = Set(range(auction.sites), label="site")
        m.pairs = Set(pairs, label=("job", "slot"))
        m.finishes = Set(pairs + idle, label=("job", "slot"))
        m.busy_slots = Set(sorted({t for _, t in pairs}), label="slot")
        m.resources = Set(range(auction.num_resources), label="resource")
        m.slots_of = IndexedSet(
            m.busy_jobs, [range(auction.arrival[i], auction.slots) for i in busy]
        )
        m.finishes_of = IndexedSet(m.jobs, [_finishes(auction, int(i)) for i in chosen])
        m.from_slot = IndexedSet(m.pairs, [range(t, auction.slots) for _, t in pairs])
        m.jobs_at = IndexedSet(
            m.busy_slots, [[i for i in busy if auction.arrival[i] <= t] for t in m.busy_slots]
        )
        of_pair = np.array([i for i, _ in pairs], dtype=np.int64)
        m.chunks = Param(m.busy_jobs, values=auction.chunks[busy])
        m.stored = Param(m.busy_jobs, m.sites, values=auction.data[busy])
        m.epochs = Param(m.jobs, values=[auction.jobs[i].epochs for i in chosen])
        m.rate = Param(m.jobs, values=[auction.jobs[i].worker_rate for i in chosen])
        m.parameters = Param(m.jobs, values=[auction.jobs[i].parameter_size for i in chosen])
        m.worker_units = Param(m.jobs, m.resources, values=auction.worker_demand[chosen])
        m.server_units = Param(m.jobs, m.resources, values=auction.server_demand[chosen])
        most = auction.most_workers[of_pair]
        m.most = Param(m.pairs, m.sites, values=most)
        m.chunk_size = Param(values=auction.chunk_size)
        worth = [auction.jobs[i].utility[t - auction.arrival[i]] for i, t in pairs + idle]
        m.worth = Param(m.finishes, values=worth)
        m.finished = Var(m.finishes, binary=True, doc="last chunk processed in this slot; y")
        m.workers = Var(
            m.pairs, m.sites, integer=True, upper=most, reason="no more fit or are needed", doc="g"
        )
        m.server = Var(m.pairs, m.sites, binary=True, upper=auction.server_fits[of_pair], doc="z")
        m.remote = Var(
            m.pairs, m.sites, upper=most, reason="at most all workers are remote", doc="u"
        )

    @constraint("2i", "jobs")
    def completed_once(m, i):
        """A job is completed at most once."""
        return Sum(m.finished[i, t] for t in m.finishes_of[i]) <= 1

    @constraint("2c", "pairs")
    def server_until_done(m, i, t):
        """At most one server a slot, none after completion.

        As printed every slot has a server, which (2g) forbids before the arrival.
        """
        done_later = Sum(m.finished[i, v] for v in m.from_slot[i, t])
        return Sum(m.server[i, t, r] for r in m.sites) <= done_later

    @constraint("2f", "pairs", "sites")
    def workers_need_server(m, i, t, r):
        """Workers run only in slots with a server, so none after completion."""
        return m.workers[i, t, r] <= m.most[i, t, r] * Sum(m.server[i, t, o] for o in m.sites)

    @constraint("2d", "pairs", "sites")
    def workers_away_from_server(m, i, t, r):
        """Workers at a site without the server are remote; stands for g·1(z = 0), exactly."""
        return m.remote[i, t, r] >= m.workers[i, t, r] - m.most[i, t, r] * m.server[i, t, r]


def _finishes(auction: Auction, job: int) -> range:
    first = int(auction.arrival[job])
    return range(first, auction.slots if auction.chunks[job] > 0 else first + 1)


def when_compact(program):
    """Whether chunks are written by totals."""
    return program.moves == "compact"


def _by_site(program):
    return program.moves == "compact" and program.by_site


class CompactMoves(ScheduleRows):
    """Chunks processed and, of these, chunks processed where they are stored: 2R numbers a slot.

    All moves cost the same, so only the totals count; flows with these totals exist by the
    transportation theorem.
    """

    moves = "compact"
    by_site = True

    def declare_compact(self, m, auction: Auction, jobs: Sequence[int]) -> None:
        """Declare the schedules of ``jobs`` and their chunks."""
        self.declare_schedules(m, auction, jobs)
        of_pair = np.array([i for i, _ in m.pairs.members()], dtype=np.int64)
        total = auction.chunks[of_pair][:, None]
        stored = auction.data[of_pair] if self.by_site else total
        why = "no chunk is processed twice"
        m.processed = Var(m.pairs, m.sites, integer=True, upper=total, reason=why, doc="q")
        m.local = Var(m.pairs, m.sites, integer=True, upper=stored, reason=why, doc="l")

    @constraint("2a", "busy_jobs", when=when_compact)
    def all_chunks_processed(m, i):
        """A completed job has processed as many chunks as it has."""
        processed = Sum(m.processed[i, t, r] for t in m.slots_of[i] for r in m.sites)
        return processed == m.chunks[i] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2a", "busy_jobs", "sites", when=_by_site)
    def own_chunks_once(m, i, r):
        """No chunk of a site is processed twice, so every site's chunks are processed once."""
        local = Sum(m.local[i, t, r] for t in m.slots_of[i])
        return local <= m.stored[i, r] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2a", "pairs", "sites", when=when_compact)
    def local_chunks_processed(m, i, t, r):
        """Chunks processed where they are stored are processed."""
        return m.local[i, t, r] <= m.processed[i, t, r]

    @constraint("2b", "pairs", "sites", when=when_compact)
    def enough_workers(m, i, t, r):
        """Workers of a site make all passes over its chunks."""
        return m.epochs[i] * m.processed[i, t, r] <= m.rate[i] * m.workers[i, t, r]


def when_explicit(program):
    """Whether every move is written by itself."""
    return program.moves == "explicit"


class ExplicitMoves(ScheduleRows):
    """Chunks moved between every pair of sites in every slot: R² numbers a slot, as published."""

    moves = "explicit"

    def declare_explicit(self, m, auction: Auction, jobs: Sequence[int]) -> None:
        """Declare the schedules of ``jobs`` and every move."""
        self.declare_schedules(m, auction, jobs)
        m.others = IndexedSet(
            m.sites, [[o for o in range(auction.sites) if o != r] for r in range(auction.sites)]
        )
        of_pair = np.array([i for i, _ in m.pairs.members()], dtype=np.int64)
        m.moved = Var(
            m.pairs,
            m.sites,
            m.sites,
            integer=True,
            upper=auction.data[of_pair][:, :, None],
            reason="no chunk is processed twice",
            doc="chunks of the first site processed at the second; h",
        )

    @constraint("2a", "busy_jobs", "sites", when=when_explicit)
    def chunks_of_site_processed(m, i, o):
        """A completed job has processed every chunk of every site."""
        processed = Sum(m.moved[i, t, o, r] for t in m.slots_of[i] for r in m.sites)
        return processed == m.stored[i, o] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2b", "pairs", "sites", when=when_explicit)
    def enough_workers_for_moves(m, i, t, r):
        """Workers of a site make all passes over the chunks it gets or keeps."""
        got = Sum(m.moved[i, t, o, r] for o in m.sites)
        return m.epochs[i] * got <= m.rate[i] * m.workers[i, t, r]


def sent(m, i, t):
    """MB that a job sends in a slot: chunks moved, by totals, and parameters of remote workers."""
    return Sum(
        m.chunk_size * (m.processed[i, t, r] - m.local[i, t, r])
        + m.parameters[i] * m.remote[i, t, r]
        for r in m.sites
    )


def sent_by_pairs(m, i, t):
    """As `sent`, of every pair of sites."""
    moved = Sum(m.chunk_size * m.moved[i, t, o, r] for o in m.sites for r in m.others[o])
    return moved + Sum(m.parameters[i] * m.remote[i, t, r] for r in m.sites)
