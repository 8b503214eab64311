"""Values that a run of the tests computes once, whichever of its processes asks first."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Once:
    """Remembers pickled values in a folder that all processes of a run share.

    A process that asks for what another one is computing waits for it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own: dict[str, Any] = {}

    def __call__(self, name: str, compute: Callable[[], Any]) -> Any:
        """Value of ``compute``, which depends on nothing but ``name``."""
        if name not in self.own:
            self.own[name] = self._shared(self.folder / f"{name}.pickle", compute)
        return self.own[name]

    @staticmethod
    def _shared(path: Path, compute: Callable[[], Any]) -> Any:
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return pickle.loads(path.read_bytes())
            value = compute()
            whole = path.with_suffix(".part")
            whole.write_bytes(pickle.dumps(value))
            whole.rename(path)
            return value
