"""Program mlbroker.recourse."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage
from farkas.instances.rounded import fitted
from farkas.numbers import Bools, Floats, Ints, floats


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PlacedWorkers:
    """Workers and servers that have been decided, for all active pairs or some of them.

    Raises
    ------
    InvalidOption
        When a shape is wrong, a site does not exist, or workers are too few for the data.
    """

    instance: Brokerage
    workers: Ints  #: Shape (pairs, sites), whole numbers >= 0; ȳ.
    server: Ints  #: Shape (pairs,): site of the parameter server; s̄.
    pairs: Ints  #: Shape (pairs,): numbers of the active pairs, ascending; all by default.

    @classmethod
    def of(
        cls,
        instance: Brokerage,
        workers: npt.ArrayLike,
        server: npt.ArrayLike,
        pairs: npt.ArrayLike | None = None,
    ) -> PlacedWorkers:
        """Check and keep decisions."""
        chosen = np.arange(instance.num_pairs) if pairs is None else np.asarray(pairs, np.int64)
        placed = cls(
            instance,
            np.asarray(workers, np.int64).reshape(-1, instance.num_sites),
            np.asarray(server, np.int64).reshape(-1),
            chosen,
        )
        placed._check()
        return placed

    @classmethod
    def checkpoint(cls, instance: Brokerage) -> PlacedWorkers:
        """Half of the workers at the first site, the rest at the last, servers in turn.

        ⌈Y/2⌉ workers at site 0, ⌊Y/2⌋ more at the last site, the server of job i at site
        i mod R.  No sensible decision, but one that every instance has.
        """
        workers = np.zeros((instance.num_pairs, instance.num_sites), np.int64)
        workers[:, 0] += (instance.workers_needed + 1) // 2
        workers[:, -1] += instance.workers_needed // 2
        return cls.of(instance, workers, instance.pair_job % instance.num_sites)

    def _check(self) -> None:
        size, sites = len(self.pairs), self.instance.num_sites
        if self.workers.shape != (size, sites) or self.server.shape != (size,):
            raise InvalidOption(
                f"workers have shape {self.workers.shape} and servers {self.server.shape}; "
                f"{size} pairs and {sites} sites need ({size}, {sites}) and ({size},)"
            )
        if (self.workers < 0).any():
            raise InvalidOption("a number of workers is negative")
        if ((self.server < 0) | (self.server >= sites)).any():
            raise InvalidOption(f"a server is at a site outside 0..{sites - 1}")
        needed = self.instance.workers_needed[self.pairs]
        short = np.flatnonzero(self.workers.sum(axis=1) < needed)
        if len(short):
            pair = self.pairs[short[0]]
            job, slot = self.instance.pair_job[pair], self.instance.pair_slot[pair]
            have = self.workers[short[0]].sum()
            raise InvalidOption(
                f"job {job} has {have} workers in slot {slot} and needs {needed[short[0]]}"
            )

    @property
    def jobs(self) -> Ints:
        """Job of each pair, shape (pairs,)."""
        return self.instance.pair_job[self.pairs]

    @property
    def slots(self) -> Ints:
        """Slot of each pair, shape (pairs,)."""
        return self.instance.pair_slot[self.pairs]

    @property
    def present(self) -> Bools:
        """Job has workers or its server at the site, shape (pairs, sites); v."""
        here: Bools = self.workers > 0
        here[np.arange(len(here)), self.server] = True
        return here

    def usage(self) -> Floats:
        """Units of each resource in use, shape (slots, sites, resources); h."""
        data = self.instance
        total = np.zeros((data.num_slots, data.num_sites, data.num_resources))
        by_workers = self.workers[:, :, None] * data.worker_demand[self.jobs][:, None, :]
        np.add.at(total, self.slots, by_workers)
        np.add.at(total, (self.slots, self.server), data.server_demand[self.jobs])
        return total

    def capacity(self) -> Floats:
        """GB that the workers of a site can train, shape (pairs, sites); P y."""
        return floats(self.instance.worker_capacity[self.jobs][:, None] * self.workers)

    def trained_volume(self) -> Floats:
        """GB that the workers can train, shape (pairs, sites); D up to 1e-9 relative."""
        rooms = [sum(map(Fraction, row), Fraction(0)) for row in self.capacity().tolist()]
        return fitted(self.instance.volume[self.pairs], rooms)


class Recourse(Program):
    """Cheapest movement of data to workers that have been placed.  mlBroker P_rt, C1.

    The other decisions of P_rt follow in closed form; see
    :func:`farkas.online.mlbroker.environment.recourse_costs`.  On an instance without decisions the
    program takes those of :meth:`PlacedWorkers.checkpoint`.
    """

    name = "mlbroker.recourse"
    kind = "mlbroker"
    sense = "min"

    def declare(self, m: Any, data: Brokerage | PlacedWorkers) -> None:
        """Declare lanes from sites with data to sites with workers."""
        placed = data if isinstance(data, PlacedWorkers) else PlacedWorkers.checkpoint(data)
        volume = placed.trained_volume()
        pairs = np.column_stack([placed.jobs, placed.slots])
        full, manned = volume > 0, placed.workers > 0
        word = ("job", "slot", "site")
        m.sites = Set(range(placed.instance.num_sites), label="site")
        m.job_slots = Set(pairs, label=("job", "slot"))
        m.origins = Set(_members(pairs, full), label=word)
        m.targets = Set(_members(pairs, manned), label=word)
        lanes = full[:, :, None] & manned[:, None, :]
        m.lanes = Set(_members(pairs, lanes), label=(*word, "site"))
        m.origins_of = IndexedSet(m.job_slots, [np.flatnonzero(f) for f in full], label="site")
        m.targets_of = IndexedSet(m.job_slots, [np.flatnonzero(w) for w in manned], label="site")
        m.volume = Param(m.job_slots, m.sites, values=volume)
        m.capacity = Param(m.job_slots, m.sites, values=placed.capacity())
        m.transfer_price = Param(m.sites, m.sites, values=placed.instance.transfer)
        m.moved = Var(
            m.lanes,
            implied_upper=np.broadcast_to(volume[:, :, None], lanes.shape)[lanes],
            reason="(8b)",
            doc="Data moved from the first to the second site, GB; q.",
        )

    @constraint("8a", "targets")
    def enough_workers(m, i, t, r):
        """Workers in a site process all data moved to it."""
        return Sum(m.moved[i, t, o, r] for o in m.origins_of[i, t]) <= m.capacity[i, t, r]

    @constraint("8b", "origins")
    def all_data_moved(m, i, t, o):
        """All data collected at a site are trained somewhere."""
        return Sum(m.moved[i, t, o, r] for r in m.targets_of[i, t]) == m.volume[i, t, o]

    @objective
    def transfer(m):
        """Transfer cost, USD; C1."""
        return Sum(m.transfer_price[o, r] * m.moved[i, t, o, r] for i, t, o, r in m.lanes)


def _members(pairs: Ints, mask: Bools) -> Ints:
    """Rows (job, slot, site, ...) where ``mask``, shape (pairs, sites, ...), holds."""
    found = np.nonzero(mask)
    return np.column_stack([pairs[found[0]], *found[1:]])
