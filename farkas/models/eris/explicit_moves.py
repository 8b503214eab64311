"""Rows (2a) and (2b) with every move of chunks between two sites written by itself."""

from collections.abc import Sequence

import numpy as np

from farkas.algebra import IndexedSet, Sum, Var, constraint
from farkas.instances.eris import Auction
from farkas.models.eris.schedule_rows import ScheduleRows


def when_explicit(program):
    """Whether every move is written by itself."""
    return program.moves == "explicit"


class ExplicitMoves(ScheduleRows):
    """Chunks moved between every pair of sites in every slot: R² numbers a slot, as published."""

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
