"""Duals of kind coded: prices of masters and wages of workers, and prices as multipliers."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.certificates.doubles import double
from farkas.duals.restated import Restatement, restatements
from farkas.errors import NotACertificate, NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Owned, Pairs, owner_levels
from farkas.numbers import Floats
from farkas.tolerances import OUTWARD_CLOSE

if TYPE_CHECKING:
    from farkas.certificates.coded import (
        ChancePrices,
        CodedPrices,
        EveryPlanPrices,
        GuaranteedPrices,
    )
    from farkas.certificates.coded_dedicated import DedicatedChancePrices, DedicatedPrices

# functions of certificates are imported where they are called: a check of a program needs none


class AssignmentDual(Program):
    """Dearest prices of masters whose workers earn at most 1 together.  Dual of (7), P3.

    The paper prints no dual of P3 or P5.  For shared workers 1/t is a linear program, and this is
    its dual turned around: the optimum, in units of 1/max v, is the completion time itself.  Every
    feasible point is a lower bound; x eliminated, that is t >= Σ π / Σ_n max_m π v.
    """

    name = "coded.assignment_dual"
    kind = "coded"
    sense = "max"

    def declare(self, m: Any, data: Any) -> None:
        """Price of each master and wage of each worker."""
        speed = Pairs.of(data).speed
        if not speed.max(axis=1).all():
            raise NotApplicable("a master may use no worker: its completion time is infinite")
        speed = speed / speed.max()
        masters, workers = speed.shape
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="worker")
        m.speed = Param(m.masters, m.workers, values=speed)
        with np.errstate(over="ignore"):  # then nothing is implied
            dearest = np.nextafter(1.0 / speed.max(axis=1), np.inf)  # rounded up
        m.price = Var(
            m.masters,
            implied_upper=dearest,
            reason="the fastest worker of a master earns at most 1",
        )
        m.wage = Var(m.workers, implied_upper=1.0, reason="all wages add up to at most 1")

    @constraint("7b", "masters", "workers")
    def a_worker_earns_what_it_is_worth(m, i, n):
        """No master would pay a worker more than its wage.  Column k."""
        return m.speed[i, n] * m.price[i] <= m.wage[n]

    @constraint("7a")
    def wages_are_normalised(m):
        """Wages add up to at most 1.  Column V."""
        return Sum(m.wage[n] for n in m.workers) <= 1

    @objective
    def all_prices(m):
        """Sum of prices: the completion time in units of 1/max v."""
        return Sum(m.price[i] for i in m.masters)


class LoadsDual(Program):
    """Lagrange dual of the loads of dedicated workers, a linear program.  Coded (10)-(13).

    P4 is homogeneous in loads and time, so its Lagrangian is bounded only where
    λ Σ u/(1+h) <= 1, and then equals λ L.  There is no gap: λ* L = t*.  One multiplier a master, in
    units of its own Theorem 1 time per row; takes what `coded.loads` takes.
    """

    name = "coded.loads_dual"
    kind = "coded"
    sense = "max"

    def declare(self, m: Any, data: Any) -> None:
        """Multiplier of each master's rows."""
        owned = Owned.of(data)
        levels = owner_levels(Pairs.of(owned.data).speed, owned.owner)
        if not levels.all():
            late = int(np.flatnonzero(levels == 0)[0])
            raise NotApplicable(f"master {late} has no worker it may use: its time is infinite")
        m.masters = Set(range(len(levels)), label="master")
        m.time = Param(m.masters, values=1.0 / levels)
        m.worth = Var(m.masters, implied_upper=1.0, reason="(16) in units of t*/L")

    @constraint("11", "masters")
    def more_load_gains_nothing(m, i):
        """At the best load of every worker the Lagrangian does not fall for ever."""
        return m.worth[i] <= 1

    @objective
    def all_times(m):
        """Sum of the masters' completion times λ L."""
        return Sum(m.time[i] * m.worth[i] for i in m.masters)


# Prices of masters as multipliers of the least time at speeds that are no smaller.
#
# The speed of a pair solves an equation that no fraction solves, so certificates of the kind bound
# it from above.  The program here holds these bounds: whatever plan the instance has, its work
# x = t k is a point of the program at the same time, so that the program's least time bounds the
# instance's.  That the speeds are no smaller is for the certificate to show, not for the file.


AT_SPEEDS = "at speeds no smaller than the instance's"

#: What the program leaves to the certificate that it restates.
ELSEWHERE = (
    "That its speeds are no smaller than the instance's is shown by `farkas check`, not by this"
    " file."
)

#: The same where speeds are cut.
CUT = (
    "That its speeds are no smaller than the instance's, cut where no dedicated worker counts for"
    " more, is shown by `farkas check`, not by this file."
)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Paces:
    """Speeds that no pair exceeds, and what every master wants of its rows."""

    #: Shape (masters, workers), expected share of a master's rows per unit of time; v.
    speed: Floats
    wanted: float  #: Share of its rows that every master expects in time.


class LeastTime(Program):
    """Least time in which workers do what every master wants, at given speeds."""

    kind = "coded"

    def declare(self, m: Any, data: Paces) -> None:
        """Work x = t k of every pair, and the time."""
        masters, workers = data.speed.shape
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="worker")
        m.speed = Param(m.masters, m.workers, values=data.speed)
        m.wanted = Param(m.masters, values=np.full(masters, data.wanted))
        m.work = Var(m.masters, m.workers)
        m.time = Var()

    @constraint("3b", "masters")
    def every_master_has_its_rows(m, i):
        """The work for a master gives what it wants."""
        return Sum(m.speed[i, n] * m.work[i, n] for n in m.workers) >= m.wanted[i]

    @constraint("3c", "workers")
    def no_worker_works_longer(m, n):
        """A worker works no longer than the time."""
        return Sum(m.work[i, n] for i in m.masters) <= m.time

    @objective
    def last(m):
        """Time at which the last master has its rows."""
        return m.time


@restatements.register("coded.coded_run")
def restated(certificate: CodedPrices, data: CodedComputing) -> Restatement:
    """Every plan, at the speeds that the certificate's patience proves."""
    return _of_every_plan(certificate, data)


@restatements.register("coded.coded_chance")
def restated_chance(certificate: ChancePrices, data: CodedComputing) -> Restatement:
    """As for expected rows, of which every master wants the success probability only."""
    return _of_every_plan(certificate, data)


def _of_every_plan(certificate: EveryPlanPrices, data: CodedComputing) -> Restatement:
    from farkas.certificates.coded import speeds_above

    prices, patience = certificate.numbers(data)
    speed = speeds_above(data, prices, patience)
    name = f"{certificate.subject} {AT_SPEEDS}"
    return least_time(name, speed, prices, certificate.share(data))


@restatements.register("coded.coded_dedicated")
def restated_dedicated(certificate: DedicatedPrices, data: CodedComputing) -> Restatement:
    """Speeds are cut at the level: it is reached by nobody if it is not reached with these.

    The program may have a later least time than the bound, which is all that is claimed: cut at a
    higher level it would have an earlier one.
    """
    from farkas.certificates.coded import speeds_above

    prices, patience = certificate.numbers(data)
    speed = np.minimum(speeds_above(data, prices, patience), certificate.level)
    name = f"{certificate.subject} {AT_SPEEDS}, cut at the certificate's level"
    made = least_time(name, speed, prices, certificate.share(data), CUT)
    return dataclasses.replace(made, most=certificate.prove_bound(data))


@restatements.register("coded.coded_chance_dedicated")
def restated_chance_dedicated(
    certificate: DedicatedChancePrices, data: CodedComputing
) -> Restatement:
    """As for expected rows, of which every master wants the success probability only."""
    return restated_dedicated(certificate, data)


@restatements.register("coded.coded_measured")
def restated_measured(certificate: GuaranteedPrices, data: CodedComputing) -> Restatement:
    """Speeds under the laws of the measured times, which are fractions, rounded up."""
    from farkas.certificates.coded import guaranteed_speeds, require_prices

    prices = certificate.read_prices(data)
    require_prices(prices, data.num_masters)
    speed = np.array([[double(v, up=True) for v in row] for row in guaranteed_speeds(data)], float)
    wanted = Fraction(data.success_probability)
    return least_time(f"{certificate.subject} {AT_SPEEDS}", speed, prices, wanted)


def least_time(
    name: str, speed: Floats, prices: Floats, wanted: Fraction, remark: str = ELSEWHERE
) -> Restatement:
    """State what prices of masters prove of the least time at given speeds.

    Raises `NotACertificate` when a speed or a time is beyond all doubles.  ``speed`` has shape
    (masters, workers), 0 where forbidden, v; ``prices`` are >= 0 and not all 0, π; every master
    wants that share of its rows, a double; ``remark`` is what the file leaves open.
    """
    if not np.isfinite(speed).all():
        raise NotACertificate("a speed is beyond all doubles")
    form = LeastTime().form(Paces(speed, float(wanted))).replace(name=name)
    multipliers = np.zeros(form.num_rows)
    masters = form.row_block("every_master_has_its_rows").where
    exact = [[Fraction(v) for v in row] for row in speed.tolist()]
    price = [Fraction(each) for each in prices.tolist()]
    total = sum(_wages(price, exact), Fraction(0))
    if not total:  # nobody serves any master that has a price
        multipliers[masters] = prices
        return Restatement(form, multipliers, remark, infeasible=True)
    # all wages together are 1; they are rounded up, so that prices leave them some room
    safe = [double(each / total * (1 - Fraction(OUTWARD_CLOSE)), up=False) for each in price]
    if None in safe:
        raise NotACertificate("the least time is beyond all doubles")
    multipliers[masters] = safe
    wages = _wages([Fraction(each or 0) for each in safe], exact)
    above = np.array([double(wage, up=True) for wage in wages], float)
    multipliers[form.row_block("no_worker_works_longer").where] = -above
    return Restatement(form, multipliers, remark)


def _wages(price: list[Fraction], speed: list[list[Fraction]]) -> list[Fraction]:
    """Most that each worker is worth to a master."""
    return [max(map(mul, price, column)) for column in zip(*speed, strict=True)]
