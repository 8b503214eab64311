"""A policy fed step by step: decisions of what runs, and what can be proved of it so far.

`farkas.run` takes an instance that holds every job.  A `Feed` begins with what there is before the
first job, and is told of jobs when they come; its decisions are those of a run of all that was fed,
which it hands out, certified, after any step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import msgspec
import numpy as np

from farkas.errors import FarkasError, FileProblem, InvalidOption
from farkas.files import read_record
from farkas.files.writing import replacing
from farkas.instances.files import read_bytes
from farkas.messages import named
from farkas.messages.refusals import parsed
from farkas.online.driver import (
    Algorithm,
    DecisionLog,
    Environment,
    StepAnswer,
    algorithms,
    environments,
    plain,
)
from farkas.online.loop import drive, take_step
from farkas.online.run import Run


class _FeedFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of a feed: what it was told, and what was decided."""

    feed: Literal[1] = 1
    algorithm: str
    options: dict[str, Any]
    seed: int
    instance: msgspec.Raw
    #: steps, more: jobs of every step, and data of jobs that went on, by number.
    steps: list[list[Any]]
    more: list[dict[int, Any]]
    decisions: list[Any]


class Feed:
    """A policy that is told of jobs when they come.

    Parameters
    ----------
    instance
        Everything but jobs; those it holds are left out.
    algorithm
        An online one; baselines with hindsight cannot be fed.
    seed
        Of every random draw.
    known
        What the policy is told before the first job, as ``Environment.known`` makes it from an
        instance; by default that of the instance without jobs.  Only policies to which numbers of
        jobs to come are told need another one.
    options
        Of the algorithm.

    Raises
    ------
    NotApplicable
        Where nothing arrives over time.
    InvalidOption
        An unknown option, or an algorithm that has to see the whole instance.
    """

    def __init__(
        self,
        instance: Any,
        algorithm: Algorithm,
        seed: int = 0,
        known: Any = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.algorithm, self.seed = algorithm, seed
        self.options = algorithm.settle(dict(options or {}))
        self._policy = algorithm.make(**self.options)
        world = environments[instance.kind]
        if type(world).shown is Environment.shown:
            world.shown(instance, 0, ())  # says why not
        if self._policy.hindsight:
            raise InvalidOption(f"{algorithm.name} has to see the whole instance; it cannot be fed")
        self._world = world
        self._begin = instance.replace(jobs=())
        self.jobs: list[Any] = []
        self.decisions: list[Any] = []
        self._fed: list[tuple[Sequence[Any], Mapping[int, Any]]] = []
        self._solved: list[StepAnswer] = []
        facts = world.known(self._begin) if known is None else known
        self.state: Any = self._policy.start(facts, seed)
        self._rng = np.random.default_rng(seed)

    def step(self, *jobs: Any, more: Mapping[int, Any] | None = None) -> Any:
        """Show what comes next; return what the policy decides.

        Parameters
        ----------
        jobs
            Records or mappings, as in a file: of kind dps one job, of other kinds all that arrive
            in the next slot, which may be none.  They are numbered from 0 in the order in which
            they are fed.
        more
            Of kind mlbroker, by number: data of this slot of jobs that were to end with the slot
            before and go on.

        Raises
        ------
        InvalidInstance
            A job is none of this kind.
        InvalidOption
            It arrives at another time, there are no slots left, or nobody goes on like that.
        """
        step, world = len(self.decisions), self._world
        slots = world.steps(self._begin)
        if slots is not None and step >= slots:
            raise InvalidOption(f"all {slots} slots are over; there is nothing to feed")
        if not isinstance(more, Mapping | None):
            raise InvalidOption(f"more = {more!r}; give data by number of the job")
        longer = {number: self._prolonged(number, data) for number, data in (more or {}).items()}
        new: Sequence[Any] = self._begin.replace(jobs=list(jobs)).jobs
        self._require_now(new, step, slots)
        active = {
            number: longer.get(number, job)
            for number, job in enumerate(self.jobs)
            if world.stays(longer.get(number, job), step)
        } | dict(enumerate(new, len(self.jobs)))
        shown = self._begin.replace(jobs=list(active.values()))
        arrivals = world.shown(shown, step, list(active))
        policy = self._policy
        self.state, decision, found = take_step(policy, self.state, arrivals, self._rng)
        self._solved.append(found)
        self.jobs = [longer.get(number, job) for number, job in enumerate(self.jobs)]
        self.jobs += new
        self.decisions.append(decision)
        self._fed.append((new, dict(more or {})))
        return decision

    def so_far(self) -> Any:
        """Return the instance of all that was fed, in which nothing comes any more.

        Its horizon is that of the beginning where decisions reach beyond the slots fed, else the
        number of these.

        Raises
        ------
        InvalidOption
            Before the first step.
        """
        if not self.decisions:
            raise InvalidOption("nothing was fed yet")
        return self._world.so_far(self._begin.replace(jobs=self.jobs), len(self.decisions))

    def run(self) -> Run:
        """Return the run so far on `so_far`, replayed and certified like any other.

        Raises
        ------
        InvalidOption
            Before the first step.
        """
        instance = self.so_far()
        rest = self._world.undecided(instance, len(self.decisions))
        solved = [*self._solved, *(StepAnswer() for _ in rest)]
        done = DecisionLog([*self.decisions, *rest], self.state, solved)
        name, options = self.algorithm.name, plain(self.options)
        return drive(self._policy, instance, self.seed, name=name, options=options, done=done)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was fed, whole or not at all; `load` goes on from there."""
        from farkas.instances.writing import to_bytes  # here: a feed is seldom saved

        content = _FeedFile(
            algorithm=self.algorithm.name,
            options=plain(self.options),
            seed=self.seed,
            instance=msgspec.Raw(to_bytes(self._begin)),
            steps=plain([list(jobs) for jobs, _ in self._fed]),
            more=plain([more for _, more in self._fed]),
            decisions=plain(self.decisions),
        )
        with replacing(path) as stream:
            stream.write(msgspec.json.encode(content))

    @classmethod
    def load(cls, path: str | os.PathLike[str], known: Any = None) -> Self:
        """Feed again what `save` wrote; ``known`` is what the feed was told before.

        Raises
        ------
        FileProblem
            The file cannot be read, is no feed, or its algorithm now decides otherwise.
        """
        content, where = read_record(path), named(os.fspath(path))
        try:
            saved = msgspec.json.decode(content, type=_FeedFile)
            begin = read_bytes(bytes(saved.instance), where)
            made = cls(begin, algorithms[saved.algorithm], saved.seed, known, saved.options)
            for jobs, more in zip(saved.steps, saved.more, strict=True):
                made.step(*jobs, more=more)
        except (msgspec.DecodeError, ValueError, RecursionError, FarkasError) as error:
            raise FileProblem(f"{where}: is no feed: {parsed(error)}") from None
        again = msgspec.json.decode(msgspec.json.encode(plain(made.decisions)))
        if again != saved.decisions:
            raise FileProblem(
                f"{where}: {saved.algorithm} now decides otherwise; give the same known="
            )
        return made

    def _prolonged(self, number: int, data: Any) -> Any:
        if isinstance(number, bool) or number not in range(len(self.jobs)):
            raise InvalidOption(f"job {number} was never fed; it cannot go on")
        job = self.jobs[number]
        step = len(self.decisions)
        if not step or self._world.stays(job, step) or not self._world.stays(job, step - 1):
            raise InvalidOption(f"job {number} does not end with the slot before")
        if isinstance(data, str) or not isinstance(data, Sequence | np.ndarray):
            raise InvalidOption(f"job {number} goes on with {data!r}; give its data of the slot")
        return self._world.prolonged(job, data)

    def _require_now(self, new: Sequence[Any], step: int, slots: int | None) -> None:
        if slots is None:
            if len(new) != 1:
                raise InvalidOption(f"{len(new)} jobs at once; every job is a step")
            last = self.jobs[-1].arrival if self.jobs else 0
            if new[0].arrival < last:
                raise InvalidOption(
                    f"the job arrives in slot {new[0].arrival}, before the last one in slot {last}"
                )
            return
        for job in new:
            if job.arrival != step:
                raise InvalidOption(f"a job arrives in slot {job.arrival}; slot {step} is next")
