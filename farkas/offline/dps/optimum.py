"""The highest payments of kind dps when all budgets are known."""

from farkas.offline.dps.server_bound import server_bound
from farkas.offline.ladder import Ladder, ladders
from farkas.offline.policies import policies

ladders.add(
    "dps.optimum",
    Ladder(
        "dps.optimum",
        climbers=(policies("dps.simple"), server_bound, policies("dps.bfp_coord")),
    ),
)
