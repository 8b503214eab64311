"""The best offline solution of an instance and the best proved bound, improved until they meet.

A kind registers one `Ladder` a problem, in a file below ``farkas/offline/<kind>/``::

    ladders.add("dps.optimum", Ladder("dps.optimum", climbers=(policies("dps.simple"), ...)))

A climber yields `Rung`s, decisions or bounds, as it finds them; `climb` keeps the best of both.
The search is imported when it is first used: who looks a ladder up needs no solver.
"""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {"climbing": "OfflineOptimum climb", "ladder": "Ascent Climber Ladder Rung ladders"},
)
