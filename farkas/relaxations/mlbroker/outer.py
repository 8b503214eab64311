"""Program mlbroker.outer: (10) from below, its entropy terms replaced by tangents."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from farkas.algebra import Param, Set, Sum, Var, constraint, objective, option
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import (
    SMALL,
    SlotProblem,
    declare_data,
    declare_sets,
    entropy,
    growth,
)
from farkas.models.mlbroker.placement import (
    Connections,
    Presence,
    RelaxationRules,
    resources,
    traffic,
)
from farkas.numbers import Floats
from farkas.portable_functions import log1p

# The entropy term of (10) from below, by tangents that join where they are needed.
#
# Deployment v costs c/σ · [(v+ε) ln((v+ε)/(p+ε)) − v + p] with p the deployment before.  Its
# derivative (c/σ) ln((v+ε)/(p+ε)) is negative below p (the term is not increasing, as the paper
# says, but least at v = p).  The highest of some tangents is a convex function of straight pieces;
# written as segments of growing price it changes costs and bounds of a linear program, never its
# matrix.


def meeting(low: Floats, high: Floats, epsilon: float) -> Floats:
    """Where the tangents at ``low`` and ``high`` meet, between them; arrays of one shape.

    There v + ε is the logarithmic mean of low + ε and high + ε.
    """
    base = low + epsilon
    change = (high - low) / base
    small = np.where(change < SMALL, change, 0.0)
    large = np.where(change < SMALL, 1.0, change)
    ratio = np.where(change < SMALL, small * (1 / 2 - small / 12), large / log1p(large) - 1)
    return np.clip(low + base * ratio, low, high)


@dataclasses.dataclass(slots=True)
class Tangents:
    """Tangents of every job and site."""

    #: Shape (jobs, sites, pieces), ascending points of tangency; repeated points count once.
    points: Floats
    before: Floats  #: Shape (jobs, sites); p.
    #: Shape (jobs, sites), where segments begin: p when deployment only grows, else 0.
    start: Floats
    scale: Floats  #: Shape (jobs, 1), USD; c / σ.
    epsilon: float  #: ε.

    @classmethod
    def first(
        cls, before: Floats, scale: Floats, epsilon: float, *, grows: bool, pieces: int = 16
    ) -> Tangents:
        """Touch at the start, at p and at full deployment, with at most so many pieces.

        ``grows``: whether deployment below p never pays, as without (8l).
        """
        start = before if grows else np.zeros_like(before)
        points = np.ones((*before.shape, pieces))
        points[..., 0], points[..., 1] = start, before
        # The first step off p is where the term bends most.
        points[..., 2] = np.minimum(1.0, before + 0.01 * np.minimum(before + epsilon, 1.0))
        return cls(np.sort(np.maximum(points, start[..., None])), before, start, scale, epsilon)

    def growth_at_points(self) -> Floats:
        """Logarithm in the derivative at every point of tangency."""
        return growth(self.points, self.before[..., None], self.epsilon)

    def segments(self) -> tuple[Floats, Floats]:
        """Price, USD, and width of every segment, shape (jobs, sites, pieces); the last endless."""
        meet = meeting(self.points[..., :-1], self.points[..., 1:], self.epsilon)
        inner = np.diff(np.concatenate([self.start[..., None], meet], axis=-1))
        endless = np.full((*self.start.shape, 1), np.inf)
        widths = np.concatenate([np.maximum(inner, 0.0), endless], axis=-1)
        return self.scale[..., None] * self.growth_at_points(), widths

    def constant(self) -> float:
        """Sum of the terms at the start of the segments, USD."""
        return float(entropy(self.start, self.before, self.scale, self.epsilon).sum())


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TangentProblem:
    """A slot problem with tangents of its entropy terms."""

    problem: SlotProblem
    tangents: Tangents

    @classmethod
    def of(
        cls, data: Brokerage | SlotProblem | TangentProblem, semantics: Semantics = "printed"
    ) -> TangentProblem:
        """Return ``data``, or the slot (the first busy one of an instance) with three tangents."""
        if isinstance(data, TangentProblem):
            return data
        problem = SlotProblem.of(data, semantics)
        grows, epsilon = semantics == "printed", problem.market.epsilon
        tangents = Tangents.first(problem.before, problem.scale, epsilon, grows=grows, pieces=3)
        return cls(problem, tangents)


class Outer(RelaxationRules, Connections, Presence):
    """The regularised slot (10) with tangents in place of the entropy term: a lower bound, linear.

    Families, ``relax`` and ``semantics`` are those of mlbroker.relaxed on one slot.  Deployment
    follows segments of growing price; more tangents change prices and widths only.  On a whole
    instance the program is that of its first busy slot with three tangents.
    """

    name = "mlbroker.outer"
    relax: str = option("printed", "tight")

    def declare(self, m: Any, data: Brokerage | SlotProblem | TangentProblem) -> None:
        """Declare the rules of (8) for one slot, and the segments."""
        with_tangents = TangentProblem.of(data, self.semantics)
        problem, tangents = with_tangents.problem, with_tangents.tangents
        declare_sets(m, problem.market)
        declare_data(m, problem.market, self.semantics)
        m.presence_bound = Param(values=problem.constants.presence_bound)
        m.big_m = Param(values=problem.constants.big_m)
        self._declare_decisions(m, problem.market)
        self._declare_prices(m, problem.market, problem.slope)
        prices, widths = tangents.segments()
        m.pieces = Set(range(prices.shape[-1]), label="piece")
        m.start = Param(m.job_slots, m.sites, values=tangents.start)
        m.price = Param(m.job_slots, m.sites, m.pieces, values=prices)
        m.constant = Param(values=tangents.constant())
        m.risen = Var(
            m.job_slots, m.sites, m.pieces, upper=widths, doc="Deployment on each segment."
        )

    def _declare_discount(self, m: Any, data: Brokerage) -> None:
        over = (m.slots, m.sites, m.resources)
        for name in ("big_m_list", "big_m_reduced"):
            setattr(m, name, Param(*over, values=m.big_m.raw))
        for name in ("not_list", "not_reduced"):
            setattr(m, name, self.decision(*over, most=1, reason="(8e)", doc="As in (8)."))

    @constraint("10", "job_slots", "sites")
    def deployed_in_pieces(m, i, t, r):
        """Deployment is its start and what segments add."""
        return m.deployed[i, t, r] - Sum(m.risen[i, t, r, j] for j in m.pieces) == m.start[i, t, r]

    @objective
    def cost(m):
        """C1 + C2 + C4 and the tangents of the entropy term, USD."""
        return (
            m.constant
            + traffic(m)
            + resources(m)
            + Sum(
                m.price[i, t, r, j] * m.risen[i, t, r, j]
                for i, t in m.job_slots
                for r in m.sites
                for j in m.pieces
            )
        )
