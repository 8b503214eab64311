"""A dask scheduler for tests."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


class DaskCluster:
    """A real scheduler and two worker processes on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> str:
        where = self.folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                    "--scheduler-file", str(where))  # fmt: skip
        until = time.monotonic() + 600
        while not where.exists():
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.1)
        for _ in range(2):
            self._start("worker", "--scheduler-file", str(where), "--nthreads", "1",
                        "--no-dashboard")  # fmt: skip
        address: str = json.loads(where.read_text())["address"]
        return address

    def _start(self, *words: str) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        quiet = subprocess.DEVNULL
        self.processes.append(subprocess.Popen(command, stdout=quiet, stderr=quiet))

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=600)
