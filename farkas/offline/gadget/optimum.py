"""The greatest reward of kind gadget when all arrivals are known."""

from farkas.offline.gadget.one_slot import one_slot
from farkas.offline.gadget.planned import planned, pooled
from farkas.offline.gadget.slots_again import slots_again
from farkas.offline.ladder import Ladder, ladders
from farkas.offline.policies import policies

ladders.add(
    "gadget.optimum",
    Ladder(
        "gadget.optimum",
        climbers=(
            pooled,
            policies("gadget.fifo", "gadget.las"),
            planned,
            one_slot,
            policies("gadget.gadget"),
            slots_again,
        ),
    ),
)
