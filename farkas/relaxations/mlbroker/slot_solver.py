"""Program mlbroker.outer, and (10) solved by cutting planes on warm linear programs of it.

Each round solves a linear program whose tangents lie below the entropy terms; its value is a lower
bound and its point, priced with the true terms, an upper bound.  Tangents join until the two meet.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.algebra import Param, Set, Sum, Var, constraint, objective, option
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import (
    SMALL,
    SlotProblem,
    declare_data,
    declare_sets,
    entropy,
    growth,
)
from farkas.models.mlbroker.placement import Connections, Presence, resources, traffic
from farkas.numbers import Floats, floats
from farkas.portable import log1p
from farkas.relaxations.mlbroker.regularized import Regularized, SlotSolution
from farkas.relaxations.mlbroker.relaxed import Relaxing
from farkas.solvers import Answer, Claimed, Session
from farkas.solvers.session import optimum_of
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import FINE_GAP

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


CLOSE = 1e-8  #: Points of tangency this close, as shares of full deployment, are one.
#: Distance of the two points around a wanted one, as a share of it; its error is the square.
BRACKET = 1e-5


def full_price(tangents: Tangents) -> float:
    """Cost of deploying every job at one site, USD; Σ c."""
    return float(tangents.scale.sum() * math.log1p(1 / tangents.epsilon))


def shortfall(tangents: Tangents, deployed: Floats) -> Floats:
    """Entropy term minus its highest tangent at ``deployed``, USD, shape (jobs, sites)."""
    before, scale = tangents.before[..., None], tangents.scale[..., None]
    steps = deployed[..., None] - tangents.points
    tangent = (
        entropy(tangents.points, before, scale, tangents.epsilon)
        + scale * tangents.growth_at_points() * steps
    )
    below = tangent.max(axis=-1)
    term = entropy(deployed, tangents.before, tangents.scale, tangents.epsilon)
    return floats(np.maximum(term - below, 0.0))


def refine(tangents: Tangents, deployed: Floats, price: Floats, where: np.ndarray) -> bool:
    """Add tangents at ``deployed`` and where ``price`` calls for; whether any is new.

    Where deployment stays the optimum the term has derivative ``price``, USD, what the linear
    program would pay for more: tangents close to both sides of it end the search. Where room runs
    out, those far from ``deployed`` leave. Arrays have shape (jobs, sites); only ``where`` is
    refined.
    """
    scale = np.where(tangents.scale > 0, tangents.scale, 1.0)
    base = tangents.before + tangents.epsilon
    with np.errstate(over="ignore"):  # beyond full deployment in any case
        called = tangents.before + base * np.expm1(np.clip(price / scale, -50, 50))
    # Far from settled, a point is worth more than a narrow bracket of it.
    near = np.abs(called - deployed) <= 1e-3
    step = np.where(near, BRACKET * np.minimum(called + tangents.epsilon, 1.0), 0.0)
    top = np.maximum(1.0, deployed)
    new = np.stack([deployed, called - step, called + step], axis=-1)
    new = np.clip(new, tangents.start[..., None], top[..., None])
    every = np.sort(np.concatenate([tangents.points, new], axis=-1))
    # Near what the linear program wants, tangents count; far away the outermost do.
    distance = np.abs(every - deployed[..., None])
    distance[..., 0] = distance[..., -1] = -1.0
    repeated = np.diff(every, prepend=-np.inf) <= CLOSE
    distance = np.where(repeated, np.inf, distance)
    kept = np.argsort(distance, axis=-1, kind="stable")[..., : tangents.points.shape[-1]]
    chosen = np.take_along_axis(every, kept, axis=-1)
    surplus = np.isinf(np.take_along_axis(distance, kept, axis=-1))
    chosen = np.sort(np.where(surplus, every[..., -1:], chosen))
    chosen = np.where(where[..., None], chosen, tangents.points)
    changed = bool((np.abs(chosen - tangents.points) > CLOSE).any())
    tangents.points = chosen
    return changed


class Outer(Relaxing, Connections, Presence):
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
        self._declare_prices(m, problem.market)
        prices, widths = tangents.segments()
        m.pieces = Set(range(prices.shape[-1]), label="piece")
        m.start = Param(m.job_slots, m.sites, values=tangents.start)
        m.price = Param(m.job_slots, m.sites, m.pieces, values=prices)
        m.constant = Param(values=tangents.constant())
        m.risen = Var(
            m.job_slots, m.sites, m.pieces, upper=widths, doc="Deployment on each segment."
        )

    def _declare_discount(self, m: Any, data: Brokerage, cap: Floats) -> None:
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


MOST_ROUNDS = 60


def settle(
    tangents: Tangents,
    ask: Callable[[Floats, Floats], Answer],
    deployed: Callable[[Floats], Floats],
    price: Callable[[Floats], Floats],
) -> tuple[Answer, float]:
    """Add tangents until the linear program's point is optimal for (10).

    ``ask`` solves with new prices and widths of the segments; ``deployed`` reads deployment from a
    point, ``price`` what it would be worth from row duals. Returns the best answer, and an upper
    bound on how far it is from the optimum, USD.
    """
    best: tuple[Answer, float] | None = None
    for _ in range(MOST_ROUNDS):
        answer = ask(*tangents.segments())
        if best is not None and answer.claim is not Claimed.OPTIMAL:
            return best  # segments as narrow as the solver's tolerances
        here = deployed(answer.require_optimal().point)
        short = shortfall(tangents, here)
        gap = float(short.sum())
        if best is None or gap <= best[1]:
            best = answer, gap
        goal = FINE_GAP * (abs(answer.objective) + full_price(tangents))
        if gap <= goal:
            break
        where = short > goal / (4 * short.size)
        if not refine(tangents, here, price(answer.row_duals), where):
            break
    assert best is not None
    return best


class Together:
    """Slots of any relaxation and semantics, all jobs in one linear program.

    ``relax``, ``semantics``: as in mlbroker.regularized.
    """

    PIECES = 24

    def __init__(self, relax: str = "printed", semantics: Semantics = "printed") -> None:
        self._program = Outer(relax=relax, semantics=semantics)
        self._semantics: Semantics = semantics

    def solve(self, problem: SlotProblem) -> SlotSolution:
        """Solve (10) for all jobs of a slot."""
        market = problem.market
        if not market.num_jobs:  # nothing to solve
            return SlotSolution.idle(market)
        grows = self._semantics == "printed"
        tangents = Tangents.first(
            problem.before, problem.scale, market.epsilon, grows=grows, pieces=self.PIECES
        )
        form = self._program.form(TangentProblem(problem, tangents))
        risen = form.column_block("risen").where
        cost, upper = form.cost.copy(), form.upper.copy()

        def deployed(point: Floats) -> Floats:
            return np.maximum(form.values(point, "deployed"), tangents.start)

        def price(duals: Floats) -> Floats:
            return -form.row_values(duals, "deployed_in_pieces")

        session = Session(form)

        def ask(segments: Floats, widths: Floats) -> Answer:
            cost[risen], upper[risen] = segments.reshape(-1), widths.reshape(-1)
            session.update(cost=cost, upper=upper)
            return optimum_of(session)

        answer, gap = settle(tangents, ask, deployed, price)
        terms = entropy(deployed(answer.point), problem.before, problem.scale, market.epsilon)
        cost[risen] = 0.0
        linear = float((cost * answer.point).sum())
        return self._solution(form, answer, linear + float(terms.sum()), gap)

    def _solution(
        self, form: LinearForm, answer: Answer, objective: float, gap: float
    ) -> SlotSolution:
        families = {block.name for block in form.rows}

        def point(variable: str) -> Floats:
            return np.maximum(form.values(answer.point, variable), 0.0)

        def multipliers(family: str, like: Floats) -> Floats:
            if family not in families:
                return np.zeros_like(like)
            return np.abs(form.row_values(answer.row_duals, family)).reshape(like.shape)

        workers, table = point("workers"), point("resource_cost")[0]
        return SlotSolution(
            workers=workers,
            server=point("server"),
            deployed=point("deployed"),
            moved=point("moved"),
            connected=point("connected"),
            server_price=multipliers("server_is_connected", workers),
            presence_price=multipliers("present_with_server", workers),
            worker_price=form.row_values(answer.row_duals, "workers_connect"),
            deployed_price=-form.row_values(answer.row_duals, "deployed_in_pieces"),
            absence_price=multipliers("absent_where_unused", workers),
            list_price=multipliers("cost_at_list_price", table),
            reduced_price=multipliers("cost_at_reduced_price", table),
            objective=objective,
            gap=gap,
        )


def answer_of(found: SlotSolution) -> SubproblemAnswer:
    """Return what a solver of the slot says."""
    return SubproblemAnswer(found, found.objective, found.objective - (found.gap or 0.0))


@own_solver("mlbroker.regularized", "cutting_planes")
def cutting_planes(asked: Subproblem) -> SubproblemAnswer:
    """Solve a slot by linear programs to which tangents are added."""
    program = asked.formulation
    assert isinstance(program, Regularized)
    problem = SlotProblem.of(asked.data, program.semantics)
    return answer_of(Together(program.relax, program.semantics).solve(problem))
