"""The best offline solution of an instance and the best proved bound, improved until they meet.

A kind registers one `OfflineSearch` a problem, in a file below ``farkas/offline/<kind>/``::

    methods = policies("dps.simple"), ...
    searches.add("dps.optimum", OfflineSearch("dps.optimum", methods))

A method yields `Candidate`s, decisions or bounds, as it finds them; `find_optimum` keeps the best
of both.  It is imported when it is first used: who looks a search up needs no solver.
"""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "search": "OfflineOptimum find_optimum",
        "methods": "Candidate Method OfflineSearch SearchState searches",
    },
)
