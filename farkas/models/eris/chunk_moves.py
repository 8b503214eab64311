"""Which chunks are processed where: by totals, or every move by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from farkas.algebra import Sum, Var, constraint
from farkas.instances.eris import Auction
from farkas.models.eris.schedule_block import ScheduleBlock


def _compact(program):
    return program.moves == "compact"


def _by_site(program):
    return program.moves == "compact" and program.by_site


def _explicit(program):
    return program.moves == "explicit"


class CompactMoves(ScheduleBlock):
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
        m.processed = Var(
            m.pairs,
            m.sites,
            integer=True,
            upper=total,
            reason="no chunk is processed twice",
            doc="q",
        )
        m.local = Var(
            m.pairs,
            m.sites,
            integer=True,
            upper=stored,
            reason="no chunk is processed twice",
            doc="l",
        )

    @constraint("2a", "busy_jobs", when=_compact)
    def all_chunks_processed(m, i):
        """A completed job has processed as many chunks as it has."""
        processed = Sum(m.processed[i, t, r] for t in m.slots_of[i] for r in m.sites)
        return processed == m.chunks[i] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2a", "busy_jobs", "sites", when=_by_site)
    def own_chunks_once(m, i, r):
        """No chunk of a site is processed twice, so every site's chunks are processed once."""
        local = Sum(m.local[i, t, r] for t in m.slots_of[i])
        return local <= m.stored[i, r] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2a", "pairs", "sites", when=_compact)
    def local_chunks_processed(m, i, t, r):
        """Chunks processed where they are stored are processed."""
        return m.local[i, t, r] <= m.processed[i, t, r]

    @constraint("2b", "pairs", "sites", when=_compact)
    def enough_workers(m, i, t, r):
        """Workers of a site make all passes over its chunks."""
        return m.epochs[i] * m.processed[i, t, r] <= m.rate[i] * m.workers[i, t, r]


class ExplicitMoves(ScheduleBlock):
    """Chunks moved between every pair of sites in every slot: R² numbers a slot, as published."""

    def declare_explicit(self, m, auction: Auction, jobs: Sequence[int]) -> None:
        """Declare the schedules of ``jobs`` and every move."""
        self.declare_schedules(m, auction, jobs)
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

    @constraint("2a", "busy_jobs", "sites", when=_explicit)
    def chunks_of_site_processed(m, i, o):
        """A completed job has processed every chunk of every site."""
        processed = Sum(m.moved[i, t, o, r] for t in m.slots_of[i] for r in m.sites)
        return processed == m.stored[i, o] * Sum(m.finished[i, t] for t in m.finishes_of[i])

    @constraint("2b", "pairs", "sites", when=_explicit)
    def enough_workers_for_moves(m, i, t, r):
        """Workers of a site make all passes over the chunks it gets or keeps."""
        got = Sum(m.moved[i, t, o, r] for o in m.sites)
        return m.epochs[i] * got <= m.rate[i] * m.workers[i, t, r]
