"""Prices of kind coded as multipliers of linear programs."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.certificates.doubles import double
from farkas.duals.restated import Restatement, restatements
from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing
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
