"""(10) solved by cutting planes on warm linear programs of mlbroker.outer.

Each round solves a linear program whose tangents lie below the entropy terms; its value is a lower
bound and its point, priced with the true terms, an upper bound.  Tangents join until the two meet.
"""

from __future__ import annotations

import math

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.mlbroker import Semantics
from farkas.models.mlbroker.data import SlotProblem, entropy
from farkas.numbers import Floats, floats
from farkas.relaxations.mlbroker.outer import Outer, TangentProblem, Tangents
from farkas.relaxations.mlbroker.regularized import RegularizedSlot, SlotSolution
from farkas.solvers import Answer, Conclusion, Session
from farkas.solvers.session import optimum_of
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import FINE_GAP

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


MOST_ROUNDS = 60


class Together:
    """Slots of any relaxation and semantics, all jobs in one linear program.

    Tangents are added until the point is optimal for (10).  ``relax``, ``semantics``: as in
    mlbroker.regularized.
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

        session, best = Session(form), None
        for _ in range(MOST_ROUNDS):
            cost[risen], upper[risen] = (part.reshape(-1) for part in tangents.segments())
            session.update(cost=cost, upper=upper)
            answer = optimum_of(session)
            if best is not None and answer.claim is not Conclusion.OPTIMAL:
                break  # segments as narrow as the solver's tolerances
            here = deployed(answer.require_optimal().point)
            short = shortfall(tangents, here)
            above = float(short.sum())
            if best is None or above <= best[1]:
                best = answer, above
            goal = FINE_GAP * (abs(answer.objective) + full_price(tangents))
            where = short > goal / (4 * short.size)
            price = -form.row_values(answer.row_duals, "deployed_in_pieces")
            if above <= goal or not refine(tangents, here, price, where):
                break
        assert best is not None
        answer, gap = best
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
    assert isinstance(program, RegularizedSlot)
    problem = SlotProblem.of(asked.data, program.semantics)
    return answer_of(Together(program.relax, program.semantics).solve(problem))
