"""Program mlbroker.outer."""

from __future__ import annotations

from typing import Any

from farkas.algebra import Param, Set, Sum, Var, constraint, objective, option
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.placement import StaticRows, resources, traffic
from farkas.models.mlbroker.slot import SlotProblem
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.relaxing import Relaxing
from farkas.relaxations.mlbroker.touched import Touched


class Outer(Relaxing, StaticRows):
    """The regularised slot (10) with tangents in place of the entropy term: a lower bound, linear.

    Families, ``relax`` and ``semantics`` are those of mlbroker.relaxed on one slot.  Deployment
    follows segments of growing price; more tangents change prices and widths only.  On a whole
    instance the program is that of its first busy slot with three tangents.
    """

    name = "mlbroker.outer"
    relax: str = option("printed", "tight")

    def declare(self, m: Any, data: Brokerage | SlotProblem | Touched) -> None:
        """Declare the rules of (8) for one slot, and the segments."""
        touched = Touched.of(data, self.semantics)
        problem, tangents = touched.problem, touched.tangents
        shared.declare_sets(m, problem.market)
        shared.declare_data(m, problem.market, self.semantics)
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
