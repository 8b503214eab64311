"""What goes to who performs a task, and what comes back.

Both are pickled: they travel between processes of one user, by pipes or by a scheduler that pickles
whatever it carries.
"""

from __future__ import annotations

import hashlib
import pickle
from typing import Any, Literal

import msgspec


class Shared(msgspec.Struct, frozen=True):
    """What many tasks need, as an instance; it goes to each process once.

    Parameters
    ----------
    key
        SHA-256 of the data.
    data
        Pickled.
    """

    key: str
    data: bytes

    @classmethod
    def of(cls, value: Any) -> Shared:
        """Pickle what is shared."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return cls(hashlib.sha256(data).hexdigest(), data)


class AskedTask(msgspec.Struct, frozen=True):
    """A task.

    Parameters
    ----------
    work
        Module and class, ``"package.module:Name"``, as `farkas.executor.spread.SpreadWork` says.
    task
        Pickled argument of the call.
    shared
        What the class is made with; None for nothing.
    """

    work: str
    task: bytes
    shared: Shared | None = None

    @classmethod
    def of(cls, work: type[Any], task: Any, shared: Shared | None = None) -> AskedTask:
        """Pickle a task."""
        name = f"{work.__module__}:{work.__qualname__}"
        return cls(name, pickle.dumps(task, pickle.HIGHEST_PROTOCOL), shared)


class TaskEnd(msgspec.Struct, frozen=True):
    """What became of a task.

    Parameters
    ----------
    status
        ``raised``: the answer is an exception; ``crashed``: the process died; ``overlong``: it was
        killed when the time was over.
    answer
        Pickled; empty where there is none.
    error
        In words, where the process died or was killed.
    seconds
        Wall time.
    """

    status: Literal["done", "raised", "crashed", "overlong"]
    answer: bytes = b""
    error: str = ""
    seconds: float = 0.0

    def value(self) -> Any:
        """Return the answer, or raise the exception that it is."""
        found = pickle.loads(self.answer)
        if self.status == "raised":
            raise found
        return found
