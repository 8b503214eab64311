"""Prices of kind dps as multipliers of linear programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from farkas.algebra import programs
from farkas.certificates.dps import PricedMarket
from farkas.duals.multipliers import Restatement, restatements
from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.numbers import Bools, Ints

if TYPE_CHECKING:
    from farkas.certificates.priced_tree import PricedTree


@restatements.register("dps.priced_tree")
def restated(certificate: PricedTree, market: Market) -> Restatement:
    """Put each price on the row whose jobs are most like those of its slot.

    Rows are kept for the largest sets of jobs that hold units at once only, so that every slot has
    one whose jobs are a superset; what a job earns beyond prices meets its bound 1.
    """
    program = PricedMarket(market, certificate.subject)
    if not program.single:
        raise NotApplicable(
            f"the bound on {certificate.program} prices servers by class, on which a job is placed"
            " in too many ways for columns"
        )
    form = programs.build(certificate.subject).form(market)
    grid = program.grid(certificate.single_prices(market))
    multipliers = np.zeros(form.num_rows)
    for family, (types, _, _), numbers in zip(
        ("enough_workers", "enough_ps"), program.sides, grid.sides, strict=True
    ):
        block = form.row_block(family)
        members = block.axes[0].members
        for kind, place in np.argwhere(numbers[0]).tolist():
            slot, rows = int(program.slots[place]), np.flatnonzero(members[:, 0] == kind)
            if len(rows):
                here = _held(market, types, kind, slot)
                shared = [
                    np.count_nonzero(here & _held(market, types, kind, int(members[row, 1])))
                    for row in rows.tolist()
                ]
                row = block.start + int(rows[int(np.argmax(shared))])
                multipliers[row] += np.ldexp(float(numbers[0, kind, place]), -grid.scale)
    return form, multipliers


def _held(market: Market, types: Ints, kind: int, slot: int) -> Bools:
    """Jobs that hold units of a type in a slot, shape (jobs,)."""
    inside = (market.arrival <= slot) & (slot <= market.last_slot)
    held: Bools = (types == kind) & inside & market.fits
    return held
