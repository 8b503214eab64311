"""Exact solution of the regularised slot (10) by cutting planes on warm linear programs.

Each round solves a linear program whose tangents lie below the entropy terms; its value is a lower
bound and its point, priced with the true terms, an upper bound.  Tangents join until the two meet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Self

import numpy as np

from farkas.forms import Block, LinearForm
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import SlotProblem
from farkas.models.mlbroker.entropy import entropy
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.outer import (
    Outer,
    Tangents,
    Touched,
    full_price,
    refine,
    shortfall,
)
from farkas.relaxations.mlbroker.regularized import Regularized, SlotSolution
from farkas.solvers import Answer, Claimed, open_session
from farkas.solvers.highs_session import optimum_of
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver
from farkas.tolerances import FINE_GAP

MOST_ROUNDS = 60


def settle(
    tangents: Tangents,
    ask: Callable[[Floats, Floats], Answer],
    deployed: Callable[[Floats], Floats],
    price: Callable[[Floats], Floats],
) -> tuple[Answer, float]:
    """Add tangents until the linear program's point is optimal for (10).

    Parameters
    ----------
    ask
        Solves with new prices and widths of the segments.
    deployed, price
        Read deployment from a point, and what it would be worth from row duals; shape (jobs,
        sites).

    Returns
    -------
    The best answer, and an upper bound on how far it is from the optimum, USD.
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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobPrices:
    """Costs of all jobs of a slot in shares of their needed workers; jobs first in every shape."""

    moved: Floats  #: Shape (jobs, sites, sites), USD for moving what all workers train.
    #: Shape (jobs, sites, sites), USD for all workers at the first site served from the second.
    connected: Floats
    server: Floats  #: Shape (jobs, sites), USD.
    volume: Floats  #: Shape (jobs, sites), what the workers must train; rows sum to at most 1.

    @classmethod
    def of(cls, market: Brokerage) -> JobPrices:
        """Price a slot on the chords.  A job without data costs nothing but its server."""
        slope = market.chord_slope()[0]
        needed = market.workers_needed.astype(float)
        worker = needed[:, None] * (market.worker_demand[:, None] * slope).sum(axis=2)
        capacity = needed * market.worker_capacity
        moved = capacity[:, None, None] * market.transfer
        sync = (needed * market.sync_volume)[:, None, None] * market.transfer
        volume = market.trained_volume.copy()
        np.divide(volume, capacity[:, None], out=volume, where=capacity[:, None] > 0)
        server = (market.server_demand[:, None] * slope).sum(axis=2)
        return cls(moved, worker[:, :, None] + sync, server, volume)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobShares:
    """Decisions and multipliers of the tight slot in shares of the needed workers, job by job."""

    #: moved, connected: shape (jobs, sites, sites); q / (P Y) and g / Y.
    moved: Floats
    connected: Floats
    server: Floats  #: Shape (jobs, sites); s.
    connection_price: Floats  #: Shape (jobs, sites), multiplier of (8j) for all workers, USD; Y η.
    presence_price: Floats  #: As in `SlotSolution`.
    deployed_price: Floats  #: As in `SlotSolution`.
    gap: Floats  #: Shape (jobs,), USD.

    @classmethod
    def zeros(cls, jobs: int, sites: int) -> Self:
        """Nothing yet."""
        square, flat = (jobs, sites, sites), (jobs, sites)
        shapes = square, square, flat, flat, flat, flat, (jobs,)
        return cls(*(np.zeros(shape) for shape in shapes))

    def solution(self, problem: SlotProblem, prices: JobPrices) -> SlotSolution:
        """Bring shares into the units of the slot."""
        market, needed = problem.market, problem.market.workers_needed[:, None]
        share = self.connected.sum(axis=2)
        need = np.maximum(self.server, np.where(needed > 0, share, 0.0))
        deployed = np.maximum(problem.before, need)
        capacity = needed * market.worker_capacity[:, None]
        static = float(
            (prices.moved * self.moved).sum()
            + (prices.connected * self.connected).sum()
            + (prices.server * self.server).sum()
        )
        terms = entropy(deployed, problem.before, problem.scale, market.epsilon)
        none, table = np.zeros(share.shape), np.zeros(market.list_price.shape)
        return SlotSolution(
            workers=needed * share,
            server=self.server,
            deployed=deployed,
            moved=capacity[:, :, None] * self.moved,
            connected=needed[:, :, None] * self.connected,
            server_price=self.connection_price / np.maximum(needed, 1),
            presence_price=self.presence_price,
            worker_price=none,
            absence_price=none,
            deployed_price=self.deployed_price,
            list_price=table,
            reduced_price=table,
            objective=static + float(terms.sum()),
            gap=float(self.gap.sum()),
        )


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
            none = JobShares.zeros(*problem.before.shape)
            return none.solution(problem, JobPrices.of(market))
        grows = self._semantics == "printed"
        tangents = Tangents.first(
            problem.before, problem.scale, market.epsilon, grows=grows, pieces=self.PIECES
        )
        form = self._program.form(Touched(problem, tangents))
        risen = _block(form.columns, "risen")
        shape = problem.before.shape
        cost, pieces = form.cost.copy(), np.arange(risen.start, risen.stop)

        def deployed(point: Floats) -> Floats:
            return np.maximum(_Blocks(form.columns, point)["deployed"], tangents.start)

        def price(duals: Floats) -> Floats:
            return -_aligned(form, "deployed_in_pieces", "deployed", duals).reshape(shape)

        with open_session(form) as session:

            def ask(segments: Floats, widths: Floats) -> Answer:
                cost[risen] = segments.reshape(-1)
                session.update(cost=cost, upper=(pieces, widths.reshape(-1)))
                return optimum_of(session)

            answer, gap = settle(tangents, ask, deployed, price)
        terms = entropy(deployed(answer.point), problem.before, problem.scale, market.epsilon)
        cost[risen] = 0.0
        linear = float((cost * answer.point).sum())
        return self._solution(form, answer, linear + float(terms.sum()), gap)

    def _solution(
        self, form: LinearForm, answer: Answer, objective: float, gap: float
    ) -> SlotSolution:
        point, duals = _Blocks(form.columns, answer.point), _Blocks(form.rows, answer.row_duals)
        none = np.zeros_like(point["workers"])
        table = point["resource_cost"][0]
        printed = "cost_at_list_price" in duals
        return SlotSolution(
            workers=np.maximum(point["workers"], 0.0),
            server=np.maximum(point["server"], 0.0),
            deployed=np.maximum(point["deployed"], 0.0),
            moved=np.maximum(point["moved"], 0.0),
            connected=np.maximum(point["connected"], 0.0),
            server_price=np.abs(duals["server_is_connected"]),
            presence_price=none if printed else np.abs(duals["present_with_server"]),
            worker_price=_aligned(form, "workers_connect", "connected", answer.row_duals),
            deployed_price=-_aligned(form, "deployed_in_pieces", "deployed", answer.row_duals),
            absence_price=(
                np.abs(duals["absent_where_unused"]) if "absent_where_unused" in duals else none
            ),
            list_price=np.abs(duals["cost_at_list_price"][0]) if printed else np.zeros_like(table),
            reduced_price=(
                np.abs(duals["cost_at_reduced_price"][0]) if printed else np.zeros_like(table)
            ),
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


def _aligned(form: LinearForm, family: str, variable: str, duals: Floats) -> Floats:
    """Multipliers of a family with ``variable`` on its left, whichever way round it is stored."""
    block, where = form.row_block(family), _block(form.columns, variable)
    entries = slice(form.matrix.starts[block.start], form.matrix.starts[block.start + 1])
    columns = form.matrix.columns[entries]
    inside = (columns >= where.start) & (columns < where.stop)
    sign = np.sign(form.matrix.values[entries][inside][0])
    aligned: Floats = sign * duals[block.where].reshape(block.shape)
    return aligned


def _block(blocks: tuple[Block, ...], name: str) -> slice:
    for block in blocks:
        if block.name == name:
            return block.where
    raise KeyError(name)


class _Blocks:
    """A vector of rows or columns, read by family in the shape of its index sets."""

    def __init__(self, blocks: tuple[Block, ...], values: Floats) -> None:
        self._blocks = {block.name: block for block in blocks}
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._blocks

    def __getitem__(self, name: str) -> Floats:
        block = self._blocks[name]
        part: Floats = self._values[block.where].reshape(block.shape)
        return part
