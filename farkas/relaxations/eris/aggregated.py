"""All sites as one: a small linear program whose duals are good prices for every site."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.base import LARGEST_EXACT
from farkas.instances.eris import Auction, workers_for
from farkas.numbers import Floats, Ints

#: Slots from its arrival on in which a job may run here, if there are few jobs.
LONGEST_WINDOW = 40
#: Slots in which every job may run; also how many times as long as it takes at full size.
SHORTEST_WINDOW = 4
#: Pairs of job and slot: what jobs that are soon done need not exceed, and what others need not.
ENOUGH_PAIRS, MOST_PAIRS = 4_000, 40_000


class Aggregated(Program):
    """Greatest welfare when the sites pool their capacities and jobs may be split.

    Where every job has data and may run in all slots this relaxes eris.offline: a chunk takes as
    many worker slots as at its best site, workers of one site at most stand beside the server, and
    servers take nothing.  Jobs without data are left out, since their worth costs nothing.  Jobs
    may run in `windows` of slots, so that the optimum may miss late completions; nothing rests on
    it, since its duals are certified as prices by themselves.
    """

    name = "eris.aggregated"
    kind = "eris"
    sense = "max"

    def declare(self, m, data: Auction) -> None:
        """Declare the jobs that have data and sites to run at."""
        needed = {i: worker_slots(data, i) for i in range(data.num_jobs) if data.chunks[i] > 0}
        busy = [i for i, amount in needed.items() if amount < np.inf]
        most = data.most_workers[busy].sum(axis=1)
        window = windows(np.array([needed[i] for i in busy]) / most)
        ends = np.minimum(data.arrival[busy] + window, data.slots) - 1
        last = dict(zip(busy, ends.tolist(), strict=True))
        pairs = [(i, t) for i in busy for t in range(int(data.arrival[i]), last[i] + 1)]
        slots = sorted({t for _, t in pairs})
        m.jobs = Set(busy, label="job")
        m.pairs = Set(pairs, label=("job", "slot"))
        m.firsts = Set([(i, int(data.arrival[i])) for i in busy], label=("job", "slot"))
        m.laters = Set([(i, t) for i, t in pairs if t > data.arrival[i]], label=("job", "slot"))
        m.lasts = Set([(i, last[i]) for i in busy], label=("job", "slot"))
        m.earliers = Set([(i, t) for i, t in pairs if t < last[i]], label=("job", "slot"))
        m.busy_slots = Set(slots, label="slot")
        m.resources = Set(range(data.num_resources), label="resource")
        running = [[i for i in busy if data.arrival[i] <= t <= last[i]] for t in slots]
        m.jobs_at = IndexedSet(m.busy_slots, running, label="job")
        worth = [data.jobs[i].utility[t - data.jobs[i].arrival] for i, t in pairs]
        m.worth = Param(m.pairs, values=worth)
        m.needed = Param(m.jobs, values=[needed[i] for i in busy])
        m.most = Param(m.jobs, values=most)
        m.beside = Param(m.jobs, values=data.most_workers[busy].max(axis=1))
        m.parameters = Param(m.jobs, values=[data.jobs[i].parameter_size for i in busy])
        m.worker_units = Param(m.jobs, m.resources, values=data.worker_demand[busy])
        m.budget = Param(values=data.transfer_budget)
        m.capacity = Param(m.resources, values=data.capacity.sum(axis=0))
        m.finished = Var(m.pairs, implied_upper=1.0, reason="by (2i)", doc="share completed")
        m.running = Var(m.pairs, upper=1.0, doc="share completed in this slot or later")
        most = data.most_workers.sum(axis=1)[[i for i, _ in pairs]]
        # counts below 2**53, which doubles hold; products that they do not hold are rounded up
        elapsed = np.array([t - data.jobs[i].arrival + 1 for i, t in pairs])
        done = np.multiply(most, elapsed, dtype=float)
        done = np.where(done < LARGEST_EXACT, done, np.nextafter(done, np.inf))
        m.workers = Var(
            m.pairs, implied_upper=most, reason="by (2f)", doc="workers at all sites together"
        )
        m.remote = Var(
            m.pairs,
            implied_upper=most,
            reason="no more are needed",
            doc="workers away from the server",
        )
        m.surplus = Var(
            m.pairs,
            implied_upper=done,
            reason="no more was done",
            doc="worker slots done and not yet taken by completion",
        )

    @constraint("2i", "lasts")
    def running_at_last(m, i, t):
        """In its last slot only what completes there still runs."""
        return m.running[i, t] == m.finished[i, t]

    @constraint("2i", "earliers")
    def running_before(m, i, t):
        """What runs completes in this slot or runs in the next."""
        return m.running[i, t] == m.running[i, t + 1] + m.finished[i, t]

    @constraint("2b", "firsts")
    def work_at_first(m, i, t):
        """Worker slots of the first slot go into completion or stay over."""
        return m.surplus[i, t] == m.workers[i, t] - m.needed[i] * m.finished[i, t]

    @constraint("2b", "laters")
    def work_after(m, i, t):
        """Worker slots add to what is left over, and completion takes from it."""
        added = m.workers[i, t] - m.needed[i] * m.finished[i, t]
        return m.surplus[i, t] == m.surplus[i, t - 1] + added

    @constraint("2f", "pairs")
    def workers_until_done(m, i, t):
        """No workers after completion, and no more than fit."""
        return m.workers[i, t] <= m.most[i] * m.running[i, t]

    @constraint("2d", "pairs")
    def workers_away_from_server(m, i, t):
        """All workers but those of one site are remote."""
        return m.remote[i, t] >= m.workers[i, t] - m.beside[i] * m.running[i, t]

    @constraint("2d", "busy_slots")
    def transfer_of_slot(m, t):
        """Parameters of remote workers fit in the budget of a slot."""
        return Sum(m.parameters[i] * m.remote[i, t] for i in m.jobs_at[t]) <= m.budget

    @constraint("2e", "busy_slots", "resources")
    def pooled_capacity(m, t, k):
        """Workers of all jobs fit in all sites together."""
        return Sum(m.worker_units[i, k] * m.workers[i, t] for i in m.jobs_at[t]) <= m.capacity[k]

    @objective
    def welfare(m):
        """Worth of completed shares."""
        return Sum(m.worth[i, t] * m.finished[i, t] for i, t in m.pairs)


def windows(alone: Floats) -> Ints:
    """Slots from its arrival on in which each job may run, shape (jobs,).

    Short for many jobs, but not for those that take long: beyond a few times of what a job takes
    alone prices hardly differ, and simplex steps grow faster than pairs of job and slot.
    ``alone``: slots that a job takes with all workers that it can use, shape (jobs,).
    """
    enough, most = (
        min(LONGEST_WINDOW, max(SHORTEST_WINDOW, pairs // max(1, len(alone))))
        for pairs in (ENOUGH_PAIRS, MOST_PAIRS)
    )
    found: Ints = np.ceil(np.clip(SHORTEST_WINDOW * alone, enough, most)).astype(np.int64)
    return found


def worker_slots(auction: Auction, job: int) -> float:
    """Fewest worker slots that process all chunks of ``job``; infinite where no site can.

    A site with G workers processes q chunks with ⌈E q/P⌉ of them, q <= ⌊P G/E⌋; the best share of
    chunks per worker over all sites and q holds for all.
    """
    record = auction.jobs[job]
    most = int(auction.most_workers[job].max(initial=0)) * record.worker_rate // record.epochs
    share = max(
        (q / workers_for(q, record.epochs, record.worker_rate) for q in range(1, most + 1)),
        default=0.0,
    )
    return float(auction.chunks[job]) / share if share > 0 else np.inf
