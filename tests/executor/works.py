"""Works that tests hand to others."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from farkas.errors import InvalidInstance


class Doubled:
    """Doubles numbers; says who did, and what is shared."""

    kernels = ()

    def __init__(self, shared: object) -> None:
        self.shared = shared

    def __call__(self, task: int) -> tuple[int, int, object]:
        return 2 * task, os.getpid(), self.shared


class Counted:
    """Knows how often it was unpickled in its process."""

    opened = 0

    def __setstate__(self, state: dict[str, object]) -> None:
        Counted.opened += 1

    def __getstate__(self) -> dict[str, object]:
        return {"some": 1}


class Opened:
    kernels = ()

    def __init__(self, shared: Counted) -> None:
        pass

    def __call__(self, task: int) -> tuple[int, int]:
        return os.getpid(), Counted.opened


class Failing:
    kernels = ()

    def __init__(self, shared: object) -> None:
        pass

    def __call__(self, task: int) -> None:
        raise InvalidInstance(f"{task} is none")


class Dying:
    """Kills the process in which a file was not yet written, when asked for the number 3."""

    kernels = ()

    def __init__(self, shared: str) -> None:
        self.mark = Path(shared)

    def __call__(self, task: int) -> int:
        if task == 3 and not self.mark.exists():
            self.mark.write_text("died here")
            os.kill(os.getpid(), signal.SIGKILL)
        return -task


def doubled(number: int) -> tuple[int, int]:
    """Twice a number, and who says so."""
    return 2 * number, os.getpid()


def chatty(size: int) -> bytes:
    """Print what must not reach the answers."""
    print("not an answer", flush=True)
    os.write(1, b"nor this\n")
    return bytes(size)


def nested() -> bool:
    """Whether others are asked by workers."""
    from farkas.executor import Executor

    with Executor.of(workers=2) as inner:
        return inner.elsewhere


def sleeping(mark: str, seconds: float) -> None:
    """Say who it is, and sleep."""
    with open(mark, "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
