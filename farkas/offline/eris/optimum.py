"""The greatest welfare of kind eris when all jobs are known."""

from farkas.offline.ladder import Ladder, ladders
from farkas.offline.policies import policies

ladders.add(
    "eris.optimum",
    Ladder("eris.optimum", climbers=(policies("eris.eris", "eris.liquid", "eris.tiresias"),)),
)
