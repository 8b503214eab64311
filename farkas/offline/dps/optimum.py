"""The highest payments of kind dps when all budgets are known."""

from farkas.offline.dps.placements import placements
from farkas.offline.ladder import Ladder, ladders
from farkas.offline.policies import policies

ladders.add(
    "dps.optimum",
    Ladder("dps.optimum", climbers=(policies("dps.simple"), placements)),
)
