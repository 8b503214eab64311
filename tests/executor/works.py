"""Works that tests of the executor ask children for."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from farkas.errors import InvalidInstance, NoAnswer


class Doubled:
    """Doubles numbers; says who did, and how often it was made."""

    kernels = ()

    def __init__(self, shared: object) -> None:
        self.shared = shared

    def __call__(self, task: int) -> tuple[int, int, object]:
        return 2 * task, os.getpid(), self.shared


class Counted:
    """Knows how often what is shared was unpickled in its process."""

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


class Odd(NoAnswer):
    """Its constructor takes something else than its message, and nobody may pickle it."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} is not {second}")

    def __reduce__(self) -> tuple[object, ...]:
        # the default fails in the end, too, but not where a library registers its own way
        raise TypeError("odd errors stay where they are")


class Failing:
    kernels = ()

    def __init__(self, shared: object) -> None:
        pass

    def __call__(self, task: str) -> None:
        if task == "typed":
            raise InvalidInstance("Expected more")
        if task == "odd":
            raise Odd(1, 2)
        if task == "left":
            raise SystemExit(3)
        raise ValueError("what it is")


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


class Chatty:
    kernels = ()

    def __init__(self, shared: object) -> None:
        pass

    def __call__(self, task: int) -> bytes:
        print("not for the protocol", flush=True)
        os.write(1, b"nor this\n")
        return bytes(task)


class Nested:
    """Asks for workers of its own."""

    kernels = ()

    def __init__(self, shared: object) -> None:
        pass

    def __call__(self, task: int) -> bool:
        from farkas.executor import Executor

        with Executor.of(workers=2) as inner:
            return inner.elsewhere


class Sleeping:
    """Says who it is, and sleeps."""

    kernels = ()

    def __init__(self, shared: object) -> None:
        pass

    def __call__(self, task: tuple[str, float]) -> None:
        with open(task[0], "a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(task[1])
