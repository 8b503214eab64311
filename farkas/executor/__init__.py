"""Who performs tasks that do not need each other: this process, children of it, dask workers.

A task is a call of a `SpreadWork`, whose answers do not depend on who performs it.  Sweeps hand
over whole runs and searches; searches for an optimum hand over parts of a bound.
"""

from farkas.executor.asked import AskedTask, Shared, TaskEnd
from farkas.executor.child import Child, ChildEnded
from farkas.executor.performers import Children, Dask, Performer
from farkas.executor.spread import Executor, SpreadWork

__all__ = [
    "AskedTask",
    "Child",
    "ChildEnded",
    "Children",
    "Dask",
    "Executor",
    "Performer",
    "Shared",
    "SpreadWork",
    "TaskEnd",
]
