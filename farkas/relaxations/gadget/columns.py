"""The linear relaxation over ring mappings."""

from __future__ import annotations

from farkas.models.gadget.column import ColumnIP


class ColumnLP(ColumnIP):
    """Relaxation over all locally feasible rings: the tightest of the slot relaxations here.

    Local feasibility is what makes it tight: with columns that may overload a node or link on
    their own, it falls back to ``gadget.node_lp``.
    """

    name = "gadget.column_lp"
    integral = False
