"""How the discount (7) enters (8): one constant M, two, or a multiple choice."""

from typing import Any

import numpy as np

from farkas.algebra import Param, Var
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.placement import Movement, priced, usage
from farkas.numbers import Floats


def declare_big_m(program: Movement, m: Any, data: Brokerage) -> None:
    """Declare the constants of (8c) and (8d), and what turns each off."""
    if program.pricing == "single":
        first = second = np.array(shared.valid_big_m(data, program.semantics))
    else:
        both = data.two_big_ms(program.semantics)
        first, second = (shared.of_busy_slots(data, values) for values in both)
    over = (m.slots, m.sites, m.resources)
    m.big_m_list = Param(*over, values=first)
    m.big_m_reduced = Param(*over, values=second)
    doc = "Turns the {} price off; {}."
    m.not_list = program.decision(
        *over, most=1, reason="(8e)", doc=doc.format("list", "u¹, on when the discount counts")
    )
    m.not_reduced = program.decision(
        *over, most=1, reason="(8e)", doc=doc.format("discounted", "u²")
    )


class Choice(Movement):
    """The discount as a multiple choice of its two branches."""

    def _declare_discount(self, m: Any, data: Brokerage, cap: Floats) -> None:
        if self.pricing != "choice":
            super()._declare_discount(m, data, cap)
            return
        over = (m.slots, m.sites, m.resources)
        m.threshold = Param(m.sites, m.resources, values=data.threshold)
        m.cap = Param(*over, values=cap)
        below = np.broadcast_to(data.threshold, (len(m.slots), *data.threshold.shape))
        m.usage_below = Var(
            *over, implied_upper=below, reason="(7)", doc="Units while the list price counts."
        )
        m.usage_beyond = Var(
            *over, implied_upper=cap, reason="(7)", doc="Units while the discount counts."
        )
        m.at_list = self.decision(*over, most=1, reason="(7)", doc="The list price counts.")
        m.at_reduced = self.decision(*over, most=1, reason="(7)", doc="The discount counts.")

    @priced("7", "choice")
    def usage_by_branch(m, t, r, k):
        """Usage lies on the branch that counts."""
        return m.usage_below[t, r, k] + m.usage_beyond[t, r, k] == usage(m, t, r, k)

    @priced("7", "choice")
    def one_price(m, t, r, k):
        """One of the two prices counts."""
        return m.at_list[t, r, k] + m.at_reduced[t, r, k] == 1

    @priced("7", "choice")
    def list_price_up_to_threshold(m, t, r, k):
        """The list price counts up to the threshold."""
        return m.usage_below[t, r, k] <= m.threshold[r, k] * m.at_list[t, r, k]

    @priced("7", "choice")
    def discount_from_threshold(m, t, r, k):
        """The discount counts from the threshold on."""
        return m.usage_beyond[t, r, k] >= m.threshold[r, k] * m.at_reduced[t, r, k]

    @priced("7", "choice")
    def discount_up_to_cap(m, t, r, k):
        """No usage at a price that does not count."""
        return m.usage_beyond[t, r, k] <= m.cap[t, r, k] * m.at_reduced[t, r, k]

    @priced("7", "choice")
    def cost_of_branches(m, t, r, k):
        """Cost on the branch that counts."""
        return (
            m.resource_cost[t, r, k]
            == m.list_price[r, k] * m.usage_below[t, r, k]
            + m.reduced_price[r, k] * m.usage_beyond[t, r, k]
            + m.surcharge[r, k] * m.at_reduced[t, r, k]
        )
