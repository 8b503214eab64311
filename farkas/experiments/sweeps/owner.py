"""Who performs a task: a sweep in a process, which may be gone before the task is done."""

from __future__ import annotations

import contextlib
import os
import platform
import time
import uuid
from pathlib import Path

import msgspec


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """One sweep, told apart from all others.

    Parameters
    ----------
    token
        Unlike that of every other sweep.
    host, pid, born
        Machine, process, and when the process started, in the system's own words; empty where the
        system does not say.
    """

    token: str
    host: str
    pid: int
    born: str

    @classmethod
    def here(cls) -> Owner:
        """Return a sweep of this process."""
        pid = os.getpid()
        return cls(token=uuid.uuid4().hex, host=platform.node(), pid=pid, born=_born(pid))

    def gone(self, until: float) -> bool:
        """Whether the sweep cannot be at work any more.

        Parameters
        ----------
        until
            When its task would have been stopped, seconds since 1970; after that it counts as gone
            even where its process cannot be seen.
        """
        if time.time() > until:
            return True
        if self.host != platform.node():
            return False
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:  # it is somebody else's, and there
            return False
        return bool(self.born) and _born(self.pid) != self.born  # the number was given away again


def _born(pid: int) -> str:
    """When a process started, in ticks since the machine did; empty where there is no /proc."""
    with contextlib.suppress(OSError, IndexError):
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return words[19]
    return ""
