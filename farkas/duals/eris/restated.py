"""Prices of an auction as multipliers of the linear program over all its schedules."""

from __future__ import annotations

import numpy as np

from farkas.algebra import programs
from farkas.certificates.eris import ErisPrices
from farkas.duals.restated import Restatement, best_replies, restatements
from farkas.errors import NotApplicable
from farkas.instances.eris import Auction

OTHER_BOUND = (
    "farkas solve INSTANCE --program eris.aggregated --write bound.json writes another bound, which"
    " may be weaker, in a form that every checker reads"
)


@restatements.register("eris.eris_prices")
def restated(certificate: ErisPrices, auction: Auction) -> Restatement:
    """Price transfer and capacity; a job pays what its best schedule earns beyond."""
    program = programs.build("eris.schedule_lp")
    try:
        form = program.form(auction)
    except NotApplicable as error:
        raise NotApplicable(f"{str(error).partition(';')[0]}; {OTHER_BOUND}") from None
    transfer, resource = certificate.read_prices(auction)
    multipliers = np.zeros(form.num_rows)
    slots = form.row_block("transfer_of_slot")
    multipliers[slots.where] = transfer[slots.axes[0].members[:, 0]]
    places = form.row_block("capacity_of_site")
    multipliers[places.where] = resource[tuple(places.axes[0].members.T)]
    return Restatement(form, best_replies(form, multipliers, "one_schedule"))
