"""Kind mlbroker: a broker places incremental training jobs on cloud sites with volume discounts.

Derived arrays are indexed by *active pair* (job, slot), sorted by job, then slot: pair ``p`` of
job ``i`` in slot ``t`` is ``pair_start[i] + t - arrival[i]``.
"""

from fractions import Fraction
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.base import (
    LARGEST_EXACT,
    Count,
    Index,
    Instance,
    Matrix,
    Nonnegative,
    Positive,
    Record,
    Row,
    column,
    frozen,
    length,
    require,
    require_length,
    require_shape,
    table,
)
from farkas.instances.rounding import fitted, guarded_ceil
from farkas.numbers import Floats, Ints
from farkas.tolerances import ROUNDING

OptionalMatrix = tuple[tuple[Nonnegative | None, ...], ...]

EPSILONS = (1e-300, 1e300)  #: Smallest and largest ε; beyond, 1/ε has no digits or is infinite.


Semantics = Literal["printed", "strict"]

#: What decides points of the relaxation: the algorithm, and the same driven as a bare policy.
#:
#: Nobody else's decisions may be fractional, whatever a file puts there.
FRACTIONAL = ("mlbroker.fractional", "mlbroker.fractional[tight]", "mlbroker.Fractional")


class Job(Record, frozen=True, kw_only=True):
    """One training job; it collects new data at several sites in every slot of its window."""

    name: str = ""
    #: arrival, departure: first and last active slot, both inclusive.
    arrival: Index
    departure: Index
    worker_capacity: Positive  #: Data one worker trains per slot, GB, > 0; P in the paper.
    #: worker_demand, server_demand: shape (resources,), units per worker and per parameter server,
    #: >= 0; n and m.
    worker_demand: Row
    server_demand: Row
    #: GB per slot between a worker and a parameter server at another site; B.
    sync_volume: Nonnegative
    #: USD whenever the job appears at a site where it was not in the slot before; c.
    deploy_cost: Nonnegative
    #: Shape (departure - arrival + 1, sites), GB collected, first row for slot ``arrival``; D.
    data: Matrix


class Brokerage(Instance, frozen=True, kw_only=True, tag="mlbroker"):
    """Sites, prices and jobs of a broker.  mlBroker section 3; symbols of the paper after ";"."""

    #: num_sites, num_slots, num_resources: counts, >= 1; R, T, K.
    num_sites: Count
    num_slots: Count
    num_resources: Count
    #: Shape (sites, sites), USD per GB from row to column, zero diagonal; d. Neither symmetric nor
    #: metric in general.
    transfer_price: Matrix
    #: base_price, discount_price: shape (sites, resources), USD per unit and slot below and above
    #: the threshold; a and b with 0 <= b <= a. A null discount means none: b = a.
    base_price: Matrix
    discount_price: OptionalMatrix | None = None
    #: Shape (sites, resources), units per slot from which the discount counts; l. Null: none.
    discount_threshold: OptionalMatrix | None = None
    epsilon: Positive  #: Smoothing of the entropy term, > 0; ε.
    #: Constant of (8c) and (8d), USD; null takes the smallest valid one.
    big_m: float | None = None
    jobs: tuple[Job, ...]  #: In file order, which is the order of all job indices.

    def check(self) -> None:
        """Check shapes, prices, windows and the constant."""
        self._check_prices()
        for index, job in enumerate(self.jobs):
            self._check_job(job, f"$.jobs[{index}]")
        with np.errstate(over="ignore", invalid="ignore"):
            self._check_magnitudes()
        if self.big_m is not None:
            smallest = self.smallest_big_m
            require(
                self.big_m >= smallest * (1 - ROUNDING),
                f"big_m = {self.big_m:g}; the smallest valid constant is {smallest:.12g}",
            )

    def _check_prices(self) -> None:
        sites, resources = self.num_sites, self.num_resources
        require_shape(self.transfer_price, (sites, sites), "$.transfer_price", ("site", "site"))
        for site in range(sites):
            price = self.transfer_price[site][site]
            where = f"transfer_price[{site}][{site}]"
            require(price == 0, f"{where} = {price:g}; moving nothing is free")
        low, high = EPSILONS
        require(
            low <= self.epsilon <= high,
            f"epsilon = {self.epsilon:g}; from {low:g} to {high:g}, so that 1/epsilon is a number",
        )
        for field in ("base_price", "discount_price", "discount_threshold"):
            values = getattr(self, field)
            if values is not None:
                require_shape(values, (sites, resources), f"$.{field}", ("site", "resource"))
        if self.discount_price is not None:
            for site, row in enumerate(self.discount_price):
                for resource, reduced in enumerate(row):
                    self._check_discount(reduced, site, resource)

    def _check_discount(self, price: float | None, site: int, resource: int) -> None:
        list_price = self.base_price[site][resource]
        require(
            price is None or price <= list_price,
            f"discount_price[{site}][{resource}] = {price}; "
            f"at most base_price[{site}][{resource}] = {list_price:g}",
        )

    def _check_magnitudes(self) -> None:
        """Refuse loads that cannot be counted and bills that overflow."""
        each = self.worker_capacity[self.pair_job]
        needed = self.volume.sum(axis=1) / each
        held = each * (needed + self.num_sites + 1)  # workers are whole at every site
        for pair in np.flatnonzero(~(np.isfinite(held) & (needed < LARGEST_EXACT)))[:1]:
            job, slot = self.pair_job[pair], self.pair_slot[pair]
            what = f"{needed[pair]:.3g} workers of {each[pair]:g} GB in slot {slot}"
            require(False, f"jobs[{job}] needs {what}; more than doubles count")
        dearest = self.list_price * self.usage_cap("strict").max(axis=0)
        require(
            bool(np.isfinite(dearest).all()) and bool(np.isfinite(self.surcharge).all()),
            "base_price times the demand of all jobs overflows; give smaller numbers",
        )
        require(
            # ln(1 + 1/ε) >= 1/(1 + ε), by which costs are divided
            bool(np.isfinite(self.deploy_cost.sum() * (1.0 + self.epsilon))),
            f"deploy_cost * (1 + epsilon) overflows for {self.epsilon:g}; give a smaller epsilon",
        )

    def _check_job(self, job: Job, where: str) -> None:
        require(
            job.arrival <= job.departure,
            f"Expected departure {job.departure} >= arrival {job.arrival} - at `{where}`",
        )
        require(
            job.departure < self.num_slots,
            f"Expected departure < num_slots = {self.num_slots}, got {job.departure} - "
            f"at `{where}.departure`",
        )
        for field in ("worker_demand", "server_demand"):
            require_length(getattr(job, field), self.num_resources, f"{where}.{field}", "resource")
        shape = (job.departure - job.arrival + 1, self.num_sites)
        require_shape(job.data, shape, f"{where}.data", ("slot from arrival to departure", "site"))

    #: USD per GB from row to column, shape (sites, sites); d.
    transfer = table("transfer_price", np.float64, width="num_sites")

    #: USD per unit and slot below the threshold, shape (sites, resources); a.
    list_price = table("base_price", np.float64, width="num_resources")

    @cached_property
    def _discounted(self) -> np.ndarray:
        """Where price and threshold are both given; a discount with a null in it is none."""
        shape = (self.num_sites, self.num_resources)
        given = np.ones(shape, dtype=bool)
        for values in (self.discount_price, self.discount_threshold):
            given &= values is not None and ~np.isnan(np.array(values, dtype=float))
        return given

    @cached_property
    def reduced_price(self) -> Floats:
        """USD per unit beyond the threshold, shape (sites, resources); b, = a without discount."""
        if self.discount_price is None:
            return self.list_price
        given = np.array(self.discount_price, dtype=float)
        return frozen(np.where(self._discounted, given, self.list_price))

    @cached_property
    def threshold(self) -> Floats:
        """Units from which the discount counts, shape (sites, resources); l, 0 without discount."""
        if self.discount_threshold is None:
            return frozen(np.zeros_like(self.list_price))
        given = np.array(self.discount_threshold, dtype=float)
        return frozen(np.where(self._discounted, given, 0.0))

    @cached_property
    def surcharge(self) -> Floats:
        """Constant of the discounted branch b h + e, shape (sites, resources); e = (a - b) l."""
        return frozen((self.list_price - self.reduced_price) * self.threshold)

    def resource_cost(self, usage: Floats) -> Floats:
        """USD per slot for using ``usage`` units, shape (..., sites, resources); F, concave.

        F(h) = min(a h, b h + e).
        """
        dear = self.list_price * usage
        return np.minimum(dear, self.reduced_price * usage + self.surcharge)

    @property
    def entropy_scale(self) -> float:
        """ln(1 + 1/ε); σ."""
        from farkas.portable_functions import log1p  # here: only entropies need it

        return float(log1p(1.0 / self.epsilon))

    # --- jobs and the pairs (job, slot) in which they are active --------------------------------

    num_jobs = length("jobs")  #: Number of jobs.

    arrival = column("jobs", "arrival", np.int64)  #: First active slot of each job, shape (jobs,).

    #: Last active slot of each job, shape (jobs,).
    departure = column("jobs", "departure", np.int64)

    @cached_property
    def pair_start(self) -> Ints:
        """First active pair of each job and, last, the number of pairs; shape (jobs + 1,)."""
        return frozen(np.append(0, np.cumsum(self.departure - self.arrival + 1)), np.int64)

    @property
    def num_pairs(self) -> int:
        """Number of active pairs."""
        return int(self.pair_start[-1])

    @cached_property
    def pair_job(self) -> Ints:
        """Job of each active pair, shape (pairs,)."""
        return frozen(np.repeat(np.arange(self.num_jobs), np.diff(self.pair_start)), np.int64)

    @cached_property
    def pair_slot(self) -> Ints:
        """Slot of each active pair, shape (pairs,)."""
        inside = np.arange(self.num_pairs) - self.pair_start[self.pair_job]
        return frozen(self.arrival[self.pair_job] + inside, np.int64)

    @cached_property
    def previous_pair(self) -> Ints:
        """Pair of the same job one slot earlier, -1 at arrival; shape (pairs,)."""
        first = self.pair_slot == self.arrival[self.pair_job]
        return frozen(np.where(first, -1, np.arange(self.num_pairs) - 1), np.int64)

    @cached_property
    def next_pair(self) -> Ints:
        """Pair of the same job one slot later, -1 at departure; shape (pairs,)."""
        last = self.pair_slot == self.departure[self.pair_job]
        return frozen(np.where(last, -1, np.arange(self.num_pairs) + 1), np.int64)

    @cached_property
    def _pairs_by_slot(self) -> tuple[Ints, ...]:
        order = np.argsort(self.pair_slot, kind="stable")
        cuts = np.searchsorted(self.pair_slot[order], np.arange(1, self.num_slots))
        return tuple(frozen(part, np.int64) for part in np.split(order, cuts))

    def pairs_at(self, slot: int) -> Ints:
        """Active pairs of one slot, ascending in the job."""
        return self._pairs_by_slot[slot]

    def jobs_at(self, slot: int) -> Ints:
        """Jobs active in one slot, ascending; I_t."""
        return self.pair_job[self.pairs_at(slot)]

    # --- data of jobs ---------------------------------------------------------------------------

    @cached_property
    def volume(self) -> Floats:
        """GB collected, shape (pairs, sites); D."""
        rows = [row for job in self.jobs for row in job.data]
        return frozen(np.reshape(np.array(rows, dtype=float), (self.num_pairs, self.num_sites)))

    #: GB per slot and worker, shape (jobs,); P.
    worker_capacity = column("jobs", "worker_capacity", np.float64)

    #: Units per worker, shape (jobs, resources); n.
    worker_demand = column("jobs", "worker_demand", np.float64, width="num_resources")

    #: Units per parameter server, shape (jobs, resources); m.
    server_demand = column("jobs", "server_demand", np.float64, width="num_resources")

    #: GB per slot and remote worker, shape (jobs,); B.
    sync_volume = column("jobs", "sync_volume", np.float64)

    #: USD per appearance at a site, shape (jobs,); c.
    deploy_cost = column("jobs", "deploy_cost", np.float64)

    @cached_property
    def workers_needed(self) -> Ints:
        """Workers that train a slot's data, shape (pairs,), guarded against noise; Y."""
        total = self.volume.sum(axis=1) / self.worker_capacity[self.pair_job]
        return frozen(guarded_ceil(total), np.int64)

    @cached_property
    def trained_volume(self) -> Floats:
        """GB that the needed workers train, shape (pairs, sites); D up to 1e-9 relative.

        The count of needed workers forgives a rounding error of the data.  What it forgives is
        left out here in proportion, so that P Y >= Σ D holds without any rounding.
        """
        capacity = self.worker_capacity[self.pair_job].tolist()
        needed = self.workers_needed.tolist()
        exact = [Fraction(p) * y for p, y in zip(capacity, needed, strict=True)]
        return frozen(fitted(self.volume, exact))

    def most_workers(self, semantics: Semantics = "printed") -> Ints:
        """Upper bound on workers at one site, shape (pairs,): Y, or max(1, Y) if strict; Ȳ.

        Under strict semantics an idle worker may pay: it keeps a job deployed.
        """
        _known(semantics)
        if semantics == "printed":
            return self.workers_needed
        return frozen(np.maximum(1, self.workers_needed), np.int64)

    # --- prices of what all jobs use -------------------------------------------------------------

    def usage_cap(self, semantics: Semantics = "printed") -> Floats:
        """Most units that can be used at any one site, shape (slots, resources); H."""
        job, most = self.pair_job, self.most_workers(semantics)[:, None]
        used = self.worker_demand[job] * most + self.server_demand[job]
        cap = np.zeros((self.num_slots, self.num_resources))
        np.add.at(cap, self.pair_slot, used)
        # Sums of whole multiples of a power of two are exact while doubles hold them; others are
        # rounded up, so that full usage lies below.
        grain = np.min([_grain(self.worker_demand), _grain(self.server_demand)], axis=0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            exact = cap.max(axis=0) / grain < LARGEST_EXACT
        return np.where(exact, cap, cap * (1 + (self.num_jobs + 4) * np.finfo(float).eps))

    @cached_property
    def smallest_big_m(self) -> float:
        """Smallest valid single constant of (8c), (8d), USD; M*.

        max(0, max e, max (a - b)(H - l)), with H as printed.
        """
        saving = self.list_price - self.reduced_price
        highest = self.usage_cap().max(axis=0)
        return max(
            0.0,
            float(self.surcharge.max()),
            float((saving * (highest - self.threshold)).max()),
        )

    def valid_big_m(self, semantics: Semantics = "printed") -> float:
        """Constant in force: ``big_m``, or the smallest; idle strict workers may raise it; M."""
        given = self.smallest_big_m if self.big_m is None else self.big_m
        return max(given, *(float(each.max(initial=0)) for each in self.two_big_ms(semantics)))

    def deployment_bound(self, semantics: Semantics = "printed") -> int:
        """Most workers and servers at a site, 1 + max Ȳ over all active (job, slot); U of (8g)."""
        return 1 + int(self.most_workers(semantics).max(initial=0))

    def two_big_ms(self, semantics: Semantics = "printed") -> tuple[Floats, Floats]:
        """Smallest constants of (8c) and of (8d) apart, shapes (slots, sites, resources).

        (a - b) max(H - l, 0) and e; with them the relaxed price is the convex envelope of F.
        """
        cap = self.usage_cap(semantics)[:, None, :]
        saving = self.list_price - self.reduced_price
        first = saving * np.maximum(cap - self.threshold, 0.0)
        return first, np.broadcast_to(self.surcharge, first.shape)

    def chord_slope(self, semantics: Semantics = "printed") -> Floats:
        """USD per unit on the chord of F over [0, H], shape (slots, sites, resources).

        F(H) / H; at H = 0 the right derivative of F, that is a, or b where the threshold is 0.
        """
        cap = np.broadcast_to(
            self.usage_cap(semantics)[:, None, :],
            (self.num_slots, self.num_sites, self.num_resources),
        )
        start = np.where(self.threshold > 0, self.list_price, self.reduced_price)
        slope = np.broadcast_to(start, cap.shape).copy()
        np.divide(self.resource_cost(cap), cap, out=slope, where=cap > 0)
        return slope


def _grain(amounts: Floats) -> Floats:
    """Largest power of two of which every entry is a whole multiple, shape (columns,).

    >>> _grain(np.array([[3.0, 0.75], [2.0, 0.0]])).tolist()
    [1.0, 0.25]
    """
    fraction, exponent = np.frexp(amounts)
    digits = np.ldexp(fraction, 53).astype(np.int64)
    power = np.frexp((digits & -digits).astype(float))[1] + exponent - 54
    least: Floats = np.ldexp(1.0, np.where(digits != 0, power, 1023).min(axis=0, initial=1023))
    return least


def _known(semantics: str) -> None:
    if semantics not in (known := get_args(Semantics)):
        raise InvalidOption.near(f"unknown semantics {semantics!r}", semantics, known)
