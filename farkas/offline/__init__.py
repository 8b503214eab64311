"""The best offline solution of an instance and the best proved bound, improved until they meet.

A kind registers one `Ladder` a problem, in a file below ``farkas/offline/<kind>/``::

    ladders.add("dps.optimum", Ladder("dps.optimum", climbers=(policies("dps.simple"), ...)))

A climber yields `Rung`s, decisions or bounds, as it finds them; `climb` keeps the best of both.
"""

from farkas.offline.climbing import OfflineOptimum, climb
from farkas.offline.ladder import Ascent, Climber, Ladder, Rung, ladders

__all__ = ["Ascent", "Climber", "Ladder", "OfflineOptimum", "Rung", "climb", "ladders"]
