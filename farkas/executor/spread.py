"""Many calls of one function, spread over workers, with the answers of a plain loop."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar

from farkas.compiled import Kernel
from farkas.errors import InvalidOption
from farkas.executor import child
from farkas.executor.asked import AskedTask, Shared
from farkas.executor.performers import Children, Dask, Performer, nothing

PIECES = 16
"""Messages for each worker: more of them even out what was estimated wrong."""
LEAST_STEPS = 1e7
"""Steps of a kernel below which asking others takes longer than doing it."""

Task = TypeVar("Task", contravariant=True)
Answer = TypeVar("Answer", covariant=True)


class SpreadWork(Protocol[Task, Answer]):
    """A class that is made once in each process, with what all tasks share, and called for each.

    What it answers depends on the task and on what is shared, and on nothing else.
    """

    def __init__(self, shared: Any, /) -> None:
        """Prepare for tasks."""

    @property
    def kernels(self) -> tuple[Kernel[..., Any], ...]:
        """Kernels that are compiled before anybody is asked, so that workers load them."""

    def __call__(self, task: Task, /) -> Answer:
        """Perform one."""


class InTurn:
    """Several tasks of a work in one message.

    Parameters
    ----------
    shared
        What works are made with.
    """

    def __init__(self, shared: Any) -> None:
        self._shared = shared
        self._works: dict[type[SpreadWork[Any, Any]], SpreadWork[Any, Any]] = {}

    def __call__(self, asked: tuple[type[SpreadWork[Any, Any]], Sequence[Any]]) -> list[Any]:
        """Perform tasks in turn."""
        work, tasks = asked
        if work not in self._works:
            self._works[work] = work(self._shared)
        return [self._works[work](task) for task in tasks]


class Executor:
    """Performs tasks here, or lets others perform them; answers are the same.

    Parameters
    ----------
    performer
        Who performs; None for this process.
    """

    def __init__(self, performer: Performer | None = None) -> None:
        self._performer = performer
        self._shared: tuple[Any, Shared | None] = (None, None)
        self.remarks: list[str] = []
        """What did not go as planned, in words."""
        self.seconds: Callable[[], float] = lambda: math.inf
        """Seconds after which others need not go on, where nobody can stop them."""

    @classmethod
    def of(cls, workers: int | None = None, scheduler: str = "") -> Self:
        """Make one as the options of a command say.

        A process that performs tasks for another starts none: there, all is done here.

        Parameters
        ----------
        workers
            Child processes on this machine, >= 1; None for this process.
        scheduler
            Address of a dask scheduler to use instead.

        Raises
        ------
        InvalidOption
            For less than one worker.
        SolverUnavailable
            The scheduler does not answer.
        """
        if workers is not None and workers < 1:
            raise InvalidOption(f"workers = {workers}; give at least 1")
        if child.inside or not (workers or scheduler):
            return cls()
        return cls(Dask(scheduler) if scheduler else Children(workers or 1))

    @property
    def elsewhere(self) -> bool:
        """Whether others perform."""
        return self._performer is not None

    @property
    def width(self) -> int:
        """How many tasks are performed at once."""
        return 1 if self._performer is None else self._performer.width

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._performer is not None:
            self._performer.stop()

    def map(
        self,
        work: SpreadWork[Task, Answer],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
        check: Callable[[], None] = nothing,
    ) -> list[Answer]:
        """Return the answers to tasks; arguments are those of `each`."""
        return list(self.each(work, shared, tasks, steps, check))

    def each(
        self,
        work: SpreadWork[Task, Answer],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
        check: Callable[[], None] = nothing,
    ) -> Iterator[Answer]:
        """Yield the answers to tasks, in their order.

        What is done here is done when the answer is asked for, and what others do before the
        first.  What a worker that died was to do is done here.

        Parameters
        ----------
        work
            As it is called here; workers make their own of its class.
        shared
            What they make it with, pickled and handed to each process once.
        steps
            Of a kernel, that each task takes at a guess; the longest come first, and short ones
            together.
        check
            Called again and again; raises what ends the work.
        """
        found: dict[int, Answer] = {}
        if self._performer is not None and sum(steps) >= LEAST_STEPS:
            found = self._elsewhere(self._performer, work, shared, tasks, steps, check)
        for number, task in enumerate(tasks):
            if number in found:
                yield found.pop(number)
            else:
                check()
                yield work(task)

    def _elsewhere(
        self,
        performer: Performer,
        work: SpreadWork[Task, Answer],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
        check: Callable[[], None],
    ) -> dict[int, Answer]:
        """Return the answers of others, by number; those of dead ones are missing."""
        for kernel in work.kernels:
            kernel.prepare(math.inf)
        found: dict[int, Answer] = {}
        messages = self._messages(performer.width, type(work), shared, tasks, steps)
        with contextlib.closing(performer.perform(messages, self.seconds(), check)) as ends:
            for numbers, end in ends:
                if end.status in ("done", "raised"):
                    found.update(zip(numbers, end.value(), strict=True))
                elif end.status == "crashed" and not self.remarks:
                    self.remarks.append(f"a worker {end.error}; its tasks were performed here")
                check()
        return found

    def _messages(
        self,
        width: int,
        work: type[SpreadWork[Task, Answer]],
        shared: Any,
        tasks: Sequence[Task],
        steps: Sequence[float],
    ) -> Iterator[tuple[list[int], AskedTask]]:
        """Tasks in pieces of about the same length, each with the numbers of its tasks."""
        if self._shared[1] is None or self._shared[0] is not shared:
            self._shared = shared, Shared.of(shared)
        enough = sum(steps) / (PIECES * width)
        longest = sorted(range(len(tasks)), key=lambda number: -steps[number])
        piece: list[int] = []
        total = 0.0
        for place, number in enumerate(longest):
            piece.append(number)
            total += steps[number]
            if place + 1 == len(tasks) or total >= enough:
                together = work, [tasks[k] for k in piece]
                yield piece, AskedTask.of(InTurn, together, self._shared[1])
                piece, total = [], 0.0
