"""Bounds on the welfare of an auction from any prices, checked without a solver.

For prices α, β >= 0 and numbers μ_i that no schedule of job i beats at these prices,

    Σ_i μ_i + B Σ_t α(t) + Σ C β   >=   every welfare,

by weak duality between (3) and (4) of Eris.  So prices are all a certificate holds, and where they
came from does not matter.  The numbers μ_i are derived anew, from a relaxation that dynamic
programming solves.  Every slot finds all data of the job in place; of the transfer budget is left
that the chunks of a slot fit in it by themselves.  Costs of sites are rounded down to whole
multiples of a unit and worth is rounded up: the program errs on the safe side, in exact integers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.priced_tree import Case, Layout, PricedProgram, PricedTree, priced_programs
from farkas.certificates.run_bound import RunBound, run_bounds
from farkas.certificates.sums import affordable, exact_dot, finite, whole
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction, hosted, left_over
from farkas.numbers import Floats, Ints
from farkas.tolerances import FORGIVEN, NORMAL, ROUNDING, ULP

#: A job's greatest worth is between 2**41 and 2**42 units; costs are cut off at twice that.
WORTH_BITS = 42
#: Cost of what is impossible: above every worth, and sums of two fit into 64 bits.  Sums of costs
#: are cut off here, which keeps them lower bounds.
NEVER = 1 << 60
#: Numbers of a table at once: memory is a small multiple of it, whatever the instance.
CELLS = 1 << 17


class PricedAuction(PricedProgram):
    """Jobs as owners; rows are transfer by slot, then resources by site, resource, slot."""

    name = "eris.offline"
    forgiven = Fraction(ROUNDING) * Fraction(FORGIVEN)

    def __init__(self, auction: Auction) -> None:
        self.instance = auction
        self.owners, self.shape = auction.num_jobs, auction.used.shape
        self.width = auction.slots + auction.used.size
        self._moved: dict[int, list[Ints]] = {}  # by job and number of slots: of n chunks

    @classmethod
    def laid_out(cls, instance: Auction, name: str, layout: Layout) -> PricedAuction:
        """State the program; it has one layout."""
        if layout:
            raise NotACertificate(f"rows of {name} are not pooled, the file pools {list(layout)}")
        return cls(instance)

    def rounded(self, prices: Floats) -> Floats:
        """Return prices of 30 significant bits, which a file holds in half the space."""
        return short(prices)

    def parts(self, prices: Floats) -> tuple[Floats, Floats]:
        """Return prices of transfer and of resources, shapes (slots,) and as of use."""
        slots = self.instance.slots
        return prices[:slots], prices[slots:].reshape(self.shape)

    def bounds_so_far(self, prices: Floats) -> list[Fraction]:
        """Bound the welfare of the auction that ends in each slot."""
        return prove_by_slot(self.instance, *self.parts(prices))

    def rent(self, prices: Floats) -> Fraction:
        """Return what all transfer and capacity cost."""
        return rent_of(self.instance, *self.parts(prices))

    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Bound what one schedule or none of each job earns."""
        if not len(owners):
            return []
        if owners == range(self.owners) and not case:
            return payoffs_by_job(self.instance, *self.parts(prices))
        jobs = [self.instance.jobs[i] for i in owners]
        for k, i in enumerate(owners):
            if i in case:
                # what may rise with the slot counts as the most that it is then or later
                worth = case[i].worth(np.array(jobs[k].utility))
                later = np.maximum.accumulate(worth[::-1])[::-1]
                jobs[k] = msgspec.structs.replace(jobs[k], utility=tuple(later.tolist()))
        some = msgspec.structs.replace(self.instance, jobs=tuple(jobs))
        return _by_job(some, _payoffs(some, *self.parts(prices)))

    def most(self, owner: int) -> float:
        """Return what a job is worth in the slot of its arrival."""
        return float(self.instance.jobs[owner].utility[0])

    def below(self, owner: int, value: float) -> float:
        """Return the worth of the first slot that is worth less."""
        return max((f for f in self.instance.jobs[owner].utility if f < value), default=0.0)

    def capacity(self, rows: Ints) -> Fraction:
        """Return what rows hold together, with all that a replay counts as fitting."""
        places = rows[rows >= self.instance.slots] - self.instance.slots
        each = np.bincount(places // self.instance.slots, minlength=self.instance.capacity.size)
        held = exact_dot(self.instance.capacity.ravel(), each.astype(np.float64))
        held += Fraction(self.instance.transfer_budget) * (len(rows) - len(places))
        return held * (1 + Fraction(ROUNDING) * Fraction(FORGIVEN))

    def least_use(self, owner: int, value: float, rows: Ints) -> Fraction:
        """Count what a job needs in slots of which rows hold all that it may use there."""
        job = self.instance.jobs[owner]
        delays = sum(f >= value for f in job.utility)
        held, slots = np.zeros(self.width), slice(job.arrival, job.arrival + delays)
        held[rows] = 1.0
        transfer, resource = self.parts(held)
        every = np.vstack([transfer[None, slots], resource[:, :, slots].all(axis=0)])
        counts = np.count_nonzero(every, axis=1).tolist()
        each = (self.needed(owner, k, many, delays - many) for k, many in enumerate(counts))
        return sum(each, Fraction(0))

    def needed(self, owner: int, limit: int, inside: int, outside: int) -> Fraction:
        """Return no more than a job needs of a limit in some of its slots, and in no others.

        Limits are transfer, then resources: all workers and one server.  In each slot outside the
        job processes as many chunks as it could alone.  0 where it cannot complete.
        """
        job, (moves, shift) = self.instance.jobs[owner], self._moves
        chunks = max(0, sum(job.data) - outside * (len(moves[owner]) - 1))
        if not chunks or not inside:
            return Fraction(0)
        if limit:
            workers = -(-job.epochs * chunks // job.worker_rate)
            worker, server = job.worker_demand[limit - 1], job.server_demand[limit - 1]
            return Fraction(workers * Fraction(worker) + Fraction(server))
        tables = self._moved.setdefault(owner, [_nothing(sum(job.data))])
        while len(tables) <= inside:
            tables.append(_with_slot(tables[-1], moves[owner]))
        units = int(tables[inside][chunks])
        return Fraction(units) / Fraction(2) ** shift if units < NEVER else Fraction(0)

    @functools.cached_property
    def _moves(self) -> tuple[list[Ints], int]:
        return _slot_moves(self.instance, _rooms(self.instance))

    def steps(self) -> float:
        """Count the numbers that the tables of all jobs pass."""
        return proof_steps(self.instance)


priced_programs.add(PricedAuction.name, PricedAuction)


def certify_prices(auction: Auction, transfer: Floats, resource: Floats) -> PricedTree:
    """Certify what prices prove, shapes (slots,) and (sites, resources, slots)."""
    prices = np.concatenate([transfer, resource.ravel()])
    return PricedTree.of(PricedAuction(auction), prices)


run_bounds.add(
    "eris",
    (
        RunBound("priced_tree", PricedAuction.name),
        RunBound("tree", "eris.offline[compact]"),
    ),
)


def short(prices: Floats) -> Floats:
    """Round prices down to 30 significant bits and negative ones up to 0; any prices are valid."""
    mantissa, exponent = np.frexp(np.maximum(finite(prices, "prices"), 0.0))
    rounded: Floats = np.ldexp(np.floor(np.ldexp(mantissa, 30)), exponent - 30) + 0.0
    return rounded


def rent_of(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
    """Return what all transfer and capacity cost, exactly."""
    budget = np.full(auction.slots, auction.transfer_budget)
    capacity = np.broadcast_to(auction.capacity[:, :, None], resource.shape).ravel()
    return exact_dot(budget, transfer) + exact_dot(capacity, resource.ravel())


def payoffs_by_job(auction: Auction, transfer: Floats, resource: Floats) -> list[Fraction]:
    """Upper bound on worth less posted cost of one schedule or none of each job."""
    return _by_job(auction, _all_payoffs(auction, _bytes(transfer), _bytes(resource)))


def _by_job(auction: Auction, payoffs: Iterable[tuple[int, int, Fraction]]) -> list[Fraction]:
    found = [Fraction(0)] * auction.num_jobs
    for job, _, more in payoffs:
        found[job] += more
    return found


def prove_by_slot(auction: Auction, transfer: Floats, resource: Floats) -> list[Fraction]:
    """Upper bounds on the welfare of the auction that ends in each slot, the whole one last.

    It has the jobs that have arrived, and the slots, up to that one.
    """
    budget, capacity = np.array([auction.transfer_budget]), auction.capacity.ravel()
    each = [
        exact_dot(budget, transfer[slot : slot + 1]) + exact_dot(capacity, one.ravel())
        for slot, one in enumerate(np.moveaxis(resource, 2, 0))
    ]
    for _, slot, more in _all_payoffs(auction, _bytes(transfer), _bytes(resource)):
        each[slot] += more
    return list(itertools.accumulate(each))


def _bytes(prices: Floats) -> bytes:
    return np.asarray(prices, dtype=np.float64).tobytes()


@functools.lru_cache(maxsize=2)
def _all_payoffs(
    auction: Auction, transfer: bytes, resource: bytes
) -> tuple[tuple[int, int, Fraction], ...]:
    """List the payoffs at prices once: a bound and those so far are sums of the same."""
    prices = np.frombuffer(transfer), np.frombuffer(resource).reshape(auction.used.shape)
    return tuple(_payoffs(auction, *prices))


def _payoffs(
    auction: Auction, transfer: Floats, resource: Floats
) -> Iterator[tuple[int, int, Fraction]]:
    """Yield by how much a slot raises the payoff of a job; many jobs and slots at once.

    Slots of a job follow while it is worth more than its best payoff so far: worth never rises.
    """
    totals, (worth, shift), rooms = auction.chunks, _worths(auction), _rooms(auction)
    worth[totals == 0] = 0  # such a job earns its worth, below
    moves, _ = _slot_moves(auction, rooms)
    so_far = [_nothing(total) for total in totals.tolist()]
    best, seen = np.zeros_like(totals), 0
    while len(pairs := np.argwhere(worth[:, seen : 3 * seen + 1] > best[:, None])):
        pairs[:, 1] += seen
        for some in _alike(pairs, rooms.max(axis=(0, 1)), auction.sites):
            jobs, slots = some[:, 0], auction.arrival[some[:, 0]] + some[:, 1]
            prices = transfer[slots], resource[..., slots]
            most = max(len(moves[job]) for job in jobs.tolist()) - 1
            costs = _slot_costs(auction, jobs, *prices, rooms[..., jobs], shift[jobs], most)
            for (job, slot), row in zip(some.tolist(), costs.T, strict=True):
                if worth[job, slot] > best[job]:
                    so_far[job] = _with_slot(so_far[job], row[: len(moves[job])])
                    more = int(worth[job, slot] - so_far[job][-1] - best[job])
                    if more > 0:
                        best[job] += more
                        at = int(auction.arrival[job]) + slot
                        yield job, at, Fraction(more) / Fraction(2) ** int(shift[job])
        seen = 3 * seen + 1
    for i, one in enumerate(auction.jobs):
        if not any(one.data):
            yield i, one.arrival, Fraction(one.utility[0])


def proof_steps(auction: Auction) -> float:
    """Numbers that the tables of `payoffs_by_job` pass at most; each job counts as the longest."""
    pairs = sum(len(job.utility) for job in auction.jobs)
    table = (auction.chunks.max(initial=0) + 1.0) * (_a_slot(auction).max(initial=0.0) + 1.0)
    return float(pairs * auction.sites * table)


def _worths(auction: Auction) -> tuple[Ints, Ints]:
    """Worth in units 2**-shift, rounded up, shape (jobs, slots from the arrival); shift by job."""
    utility = np.zeros((auction.num_jobs, auction.slots))
    for row, job in zip(utility, auction.jobs, strict=True):
        row[: len(job.utility)] = job.utility
    if (finite(utility, "utility") < 0).any() or (np.diff(utility) > 0).any():
        raise NotACertificate("the utility is negative or rises")
    shift = WORTH_BITS - np.frexp(utility[:, 0])[1]
    # scaling by powers of two is exact but for what vanishes below 1, and that counts as 1
    raised = np.maximum(np.ceil(np.ldexp(utility, shift[:, None])), utility > 0)
    return whole(raised, "utility", bits=WORTH_BITS + 1), shift


def _rooms(auction: Auction) -> Ints:
    """Chunks an empty site can process without and with the server, shape (2, sites, jobs)."""
    free = left_over(auction.capacity, auction.server_demand[:, None])
    # a difference may have been rounded down by more than many small workers' last one needs
    beside = hosted(
        np.nextafter(free, np.inf), auction.worker_demand[:, None], auction.most_workers
    )
    workers = np.array([auction.most_workers.T, beside.T], np.int64)
    rooms = workers * auction.worker_rate // auction.epochs
    rooms[1, (free < 0).any(axis=2).T] = -1  # no server
    found: Ints = np.minimum(rooms, auction.chunks)
    return found


def _slot_moves(auction: Auction, rooms: Ints) -> tuple[list[Ints], int]:
    """Units 2**-shift, at most the least MB of d chunks of each job in one slot; and the shift.

    Of each job up to the most chunks whose transfer fits in the budget of a slot.
    """
    affordable(((auction.chunks + 1.0) * (_a_slot(auction, rooms) + 1.0)).max(initial=0.0),
               "chunks of a job")  # fmt: skip
    sizes = [auction.transfer_budget, auction.chunk_size, *auction.parameter_size.tolist()]
    # a program grants a capacity so much more at most, and a replay less
    limit = Fraction(auction.transfer_budget) * (1 + 2 * Fraction(ROUNDING))
    shift = WORTH_BITS - int(np.frexp(next((size for size in sizes if size > 0), 1.0))[1])
    none = np.zeros_like(auction.chunks)
    found = [none] * auction.num_jobs
    for some in _alike(
        np.stack([np.arange(len(none)), none], 1), rooms.max(axis=(0, 1)), auction.sites
    ):
        jobs = some[:, 0]
        free = np.zeros((*auction.capacity.shape, len(jobs)))
        moved = _slot_costs(
            auction, jobs, np.ones(len(jobs)), free, rooms[..., jobs], np.full(len(jobs), shift),
            int(auction.chunks[jobs].max()),
        )  # fmt: skip
        fits = moved <= int(limit * Fraction(2) ** shift)
        for job, row, able in zip(jobs.tolist(), moved.T, fits.T, strict=True):
            most = min(int(np.flatnonzero(able)[-1]), int(auction.chunks[job]))
            found[job] = np.where(able, row, NEVER)[: most + 1]
    return found, shift


def _a_slot(auction: Auction, rooms: Ints | None = None) -> Floats:
    """Chunks that an empty system processes in a slot, at most, shape (jobs,)."""
    rooms = _rooms(auction) if rooms is None else rooms
    found: Floats = np.minimum(auction.chunks, rooms.max(axis=0).sum(axis=0, dtype=float))
    return found


def _alike(pairs: Ints, room: Ints, sites: int) -> Iterator[Ints]:
    """Jobs and slots whose tables are about as long, as many as fit into `CELLS`."""
    length = np.frexp(room[pairs[:, 0]] - 1)[1]
    for bits in np.unique(length).tolist():
        many = max(1, CELLS // (sites << bits))
        same = pairs[length == bits]
        yield from np.split(same, range(many, len(same), many))


def _slot_costs(
    auction: Auction,
    jobs: Ints,
    transfer: Floats,
    resource: Floats,
    rooms: Ints,
    shift: Ints,
    most: int,
) -> Ints:
    """Units, at most the least cost of d <= ``most`` chunks in a slot; shape (chunks + 1, slots).

    The program of `farkas.relaxations.eris.payoff_bound`, written a second time: in integers, for
    many slots at once.  ``jobs`` are those that each slot serves; ``rooms``, ``shift`` are theirs.
    """
    # rounded results of at most 2K operations on numbers >= 0, then 4 more below
    with np.errstate(over="ignore"):
        worker = (auction.worker_demand[jobs].T * resource).sum(axis=1)
        server = (auction.server_demand[jobs].T * resource).sum(axis=1)
        remote = transfer * auction.parameter_size[jobs]
        moving = transfer * auction.chunk_size
    # none of an infinitely dear thing costs nothing, so no unit cost may be infinite
    worker, server, remote, moving = (
        np.minimum(cost, np.finfo(float).max) for cost in (worker, server, remote, moving)
    )
    roundings = 2 * auction.num_resources + 6
    chunks = np.arange(int(rooms.max()) + 1)[:, None, None]
    workers = -(-auction.epochs[jobs] * chunks // auction.worker_rate[jobs])
    moved = np.maximum(0, chunks - auction.data[jobs].T)
    with np.errstate(over="ignore"):
        moves = moving * moved  # shape (chunks, sites, slots), as all below
        away = np.minimum(worker + remote, np.finfo(float).max)
        without = _units(away * workers + moves, roundings, shift)
        within = _units(worker * workers + moves + server, roundings, shift)
    idle, served = (
        np.where(chunks <= room, cost, NEVER)
        for room, cost in zip(rooms, (without, within), strict=True)
    )
    costs = _all_sites(idle, served, most)
    costs[0] = 0  # nothing to do needs no server
    return costs


def _all_sites(idle: Ints, served: Ints, most: int) -> Ints:
    """Least cost of d <= ``most`` chunks at all sites, from costs without and with the server."""
    alone, with_server = idle[:, 0], served[:, 0]
    for site in range(1, idle.shape[1]):
        with_server = np.minimum(
            _least_sums(with_server, idle[:, site], most + 1),
            _least_sums(alone, served[:, site], most + 1),
        )
        alone = _least_sums(alone, idle[:, site], most + 1)
    return with_server


def _nothing(most: int) -> Ints:
    """Least cost of n <= ``most`` chunks without any slot."""
    found: Ints = np.where(np.arange(most + 1) == 0, 0, NEVER)
    return found


def _units(costs: Floats, roundings: int, shift: int | Ints) -> Ints:
    """Whole units not above the exact costs, of which ``costs`` are rounded results."""
    if np.isnan(costs).any() or (costs < 0).any():
        raise NotACertificate("a cost is negative or not a number")
    with np.errstate(over="ignore"):
        # rounding may have taken costs to infinity that are below the dearest worth
        known = np.minimum(np.where(costs < NORMAL, 0.0, costs), np.finfo(float).max)
        safe = np.ldexp(known * (1 - (roundings + 2) * ULP), shift)
    # cutting off keeps a lower bound, and no schedule that dear earns anything
    return whole(np.floor(np.minimum(safe, 2.0 ** (WORTH_BITS + 1))), "cost")


def _least_sums(one: Ints, two: Ints, size: int) -> Ints:
    """Least of one[n - d] + two[d] over d, for every n below ``size`` that the tables reach."""
    least = np.full((min(size, len(one) + len(two) - 1), *one.shape[1:]), NEVER)
    scratch = np.empty_like(one)
    for d, more in enumerate(two[: len(least)]):
        upto = min(len(one), len(least) - d)
        into = least[d : d + upto]
        np.minimum(into, np.add(one[:upto], more, out=scratch[:upto]), out=into)
    return least


def _with_slot(so_far: Ints, costs: Ints) -> Ints:
    """Least of so_far[n - d] + costs[d] over d, for every n."""
    padded = np.concatenate([np.full(len(costs) - 1, NEVER), so_far])
    # row n of the view ends with so_far[n]; before the first is what is impossible
    windows = np.ndarray((len(so_far), len(costs)), np.int64, padded, strides=2 * padded.strides)
    least: Ints = np.minimum((windows + costs[::-1]).min(axis=1), NEVER)
    return least
