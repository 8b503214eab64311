"""What a kind adds to the loop, the algorithms that are registered, and the records of runs.

A kind adds one `Environment` (who arrives when, what decisions cost, what bounds every run), an
algorithm one `Policy`.  Both are one file below ``farkas/online/<kind>/``::

    @environment("mlbroker", demo=Demo("mlbroker.mlbroker", "mlbroker.offline[strict]"))
    class Environment(driver.Environment): ...

    @algorithm("mlbroker.fractional", source="mlBroker Algorithm 1")
    @dataclasses.dataclass(frozen=True)
    class Fractional:
        '''Splits every job over the sites ...'''

        relax: Literal["printed", "tight"] = "printed"      # an option with its default

        def start(self, known, seed): ...
        def step(self, state, arrivals): ...

Records of runs and of their slots are made and written here; `farkas.online.run` reads them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import inspect
import itertools
import math
import os
import platform
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import msgspec
import numpy as np

import farkas
from farkas.certificates.ratio import ratio_at_most
from farkas.certificates.sums import exactly
from farkas.errors import InvalidInstance, InvalidOption, NotApplicable, PolicyProblem, UnknownName
from farkas.files.writing import write_bytes
from farkas.messages import shown
from farkas.messages.refusals import parsed
from farkas.online.run import Bound, Manifest, Run, Sense, Slot
from farkas.registry import Registry

if TYPE_CHECKING:
    from farkas.online.policy import Increments, Policy
    from farkas.solvers.subproblem import SubproblemAnswer


T = TypeVar("T")
Progress = Callable[[int, int], None]  #: Called with the steps done and the number of steps.


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What decisions are worth."""

    costs: list[dict[str, float]]  #: One mapping per slot, from part to amount.
    #: Broken requirements, in words.
    violations: list[str] = dataclasses.field(default_factory=list)
    #: Cost or reward of the run; by default the sum over slots and parts.
    value: float | None = None
    numbers: dict[str, float] = dataclasses.field(default_factory=dict)  #: Further named results.
    #: What the value alone hides, in words; breaks nothing.
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def total(self) -> float:
        if self.value is not None:
            return float(self.value)
        return sum(sum(map(float, slot.values())) for slot in self.costs)


class Environment:
    """What a kind adds to the driver, judged from the instance alone."""

    sense: Sense
    #: arrives, decides: what a policy is shown in a step, and what it decides, in words.
    arrives: str = ""
    decides: str = ""

    def known(self, instance: Any) -> Any:
        """Return what a policy may see before the first arrival; by default nothing."""

    def arrivals(self, instance: Any) -> Sequence[Any]:
        """Return what arrives, one entry per step."""
        raise NotImplementedError

    def evaluate(self, instance: Any, decisions: Sequence[Any]) -> Outcome:
        """Return what decisions are worth, and what they break."""
        reasons = self.unusable(instance, decisions)
        return Outcome([], reasons, math.nan) if reasons else self.worth(instance, decisions)

    def unusable(self, instance: Any, decisions: Sequence[Any]) -> list[str]:
        """Say why decisions have no value at all, in words."""
        return []

    def worth(self, instance: Any, decisions: Sequence[Any]) -> Outcome:
        """Return what usable decisions are worth."""
        raise NotImplementedError

    def measure(self, instance: Any) -> str:
        """Say what a value is and in which unit, for example ``"cost (USD)"``."""
        return "cost" if self.sense == "min" else "worth"

    def bound(self, instance: Any) -> Bound | None:
        """Return a proved bound on every run, for policies that prove none themselves."""
        return None

    def bounds_so_far(self, instance: Any, bound: Bound) -> Sequence[Fraction] | None:
        """Return what the certificate of ``bound`` proves of the instance that ends in each slot.

        Returns
        -------
        One number a slot, the last of them that of ``bound``; None where nothing is known.
        """
        return bound.so_far(instance)

    def value_of(self, costs: Mapping[str, float]) -> float:
        """Return what the parts of a slot's costs add to the value; by default their sum."""
        return sum(map(float, costs.values()))

    def by_slot(self, instance: Any, steps: Sequence[T]) -> Sequence[T]:
        """Return what belongs to every slot, of what belongs to every step; by default the same."""
        return steps

    # What follows is asked by `farkas.online.feed`, of kinds whose jobs arrive over time.

    def steps(self, instance: Any) -> int | None:
        """Return the number of slots, each a step; None where every job is one."""

    def shown(self, instance: Any, step: int, numbers: Sequence[int]) -> Any:
        """Return what arrives in a step; the instance holds its jobs, of these numbers, only."""
        raise NotApplicable(
            f"kind {instance.kind} cannot be fed step by step: its environment has no `shown`,"
            " which says what arrives"
        )

    def stays(self, job: Any, step: int) -> bool:
        """Whether a job of an earlier step is shown again in this one."""
        return False

    def prolonged(self, job: Any, data: Any) -> Any:
        """Return a job that `stays` with one slot more, and the data of that slot."""
        raise NotImplementedError

    def so_far(self, instance: Any, steps: int) -> Any:
        """Return the instance in which nothing comes after so many steps; by default the same."""
        return instance

    def undecided(self, instance: Any, steps: int) -> list[Any]:
        """Return empty decisions about the steps of `so_far` that are still to come."""
        return []


@dataclasses.dataclass(frozen=True, slots=True)
class Algorithm:
    """A registered policy with its options."""

    #: name, source: ``kind.name``; paper and algorithm.
    name: str
    source: str
    #: Program whose points its runs are, where runs of the kind are otherwise worth another.
    problem: str
    doc: str  #: The policy's docstring.
    make: Callable[..., Any]  #: Called with the options, returns the policy.
    #: options, types: default and type of every option.
    options: dict[str, Any]
    types: dict[str, Any]
    relaxed: bool = False  #: Whether its runs are points of a relaxation, which may be worth more.
    source_sha256: str = ""  #: Of the files of a policy that is not farkas's own; else empty.

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    def settle(self, given: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
        """Return every option with its value, checked; raises `InvalidOption`.

        ``strict``: text stands for text only; the command line passes False.
        """
        settled = dict(self.options)
        for name, value in given.items():
            if name not in settled:
                wrong = f"{self.name} has no option {shown(name)}"
                raise InvalidOption.near(wrong, name, settled)
            try:
                settled[name] = msgspec.convert(value, self.types[name], strict=strict)
            except (msgspec.ValidationError, UnicodeEncodeError) as error:
                message = f"{self.name}: option {name} cannot be {shown(value)}: {parsed(error)}"
                raise InvalidOption(message) from None
            if isinstance(settled[name], float) and not math.isfinite(settled[name]):
                raise InvalidOption(f"{self.name}: option {name} = {value}; give a finite number")
        return settled

    def policy(self, **options: Any) -> Any:
        """Make the policy; raises `InvalidOption`."""
        return self.make(**self.settle(options))

    def run(
        self, instance: Any, seed: int = 0, *, progress: Progress | None = None, **options: Any
    ) -> Run:
        """Run on ``instance`` and certify; ``progress`` is called after every step.

        Raises `InvalidInstance`: the instance is of another kind; `InvalidOption`.
        """
        if instance.kind != self.kind:
            message = f"{self.name} takes instances of kind {self.kind}, not {instance.kind}"
            raise InvalidInstance(message)
        from farkas.online.loop import drive  # here: the loop knows what is registered

        settled = self.settle(options)
        policy, said = self.make(**settled), plain(settled)
        run = drive(policy, instance, seed, progress=progress, name=self.name, options=said)
        if self.source_sha256:
            run.manifest = msgspec.structs.replace(run.manifest, policy_sha256=self.source_sha256)
        return run


@dataclasses.dataclass(frozen=True, slots=True)
class Demo:
    """What ``farkas demo`` shows of a kind, on the instance ``<kind>/demo`` that ships with it."""

    algorithm: str  #: The one of the kind's paper.
    program: str = ""  #: Plans with hindsight; the line is left out without one.
    relaxation: str = ""  #: Program whose dual bounds it; by default its own linear relaxation.
    measure: str = ""  #: What values of the program are, where they are not what runs are worth.


class AlgorithmRegistry(Registry[Algorithm]):
    """Algorithms by name, with those that other distributions bring for any kind.

    Such a distribution has entry points in the group `POLICIES`: ``gadget.mine = "package:Mine"``.
    """

    def __init__(self, role: str, *packages: str) -> None:
        super().__init__(role, *packages)
        #: Of policies that were handed over in this process: found by name, but not listed.
        self.own: dict[str, Algorithm] = {}

    def get(self, name: str) -> Algorithm | None:
        """Return what was handed over under a name, or is registered; None without either."""
        return self.own.get(name) or super().get(name)

    def __getitem__(self, name: str) -> Algorithm:
        """Return what a name stands for; raises `UnknownName`, which says what took its place."""
        if name in GONE:
            raise UnknownName(f"algorithm {name} is gone; use {GONE[name]}")
        return super().__getitem__(name)

    def _load(self, owner: str | None) -> None:
        super()._load(owner)
        from importlib import metadata

        for entry in metadata.entry_points(group=POLICIES):
            kind, dot, _ = entry.name.partition(".")
            if owner not in (None, kind) or entry.name in self._items:
                continue
            try:
                if not dot:
                    raise InvalidOption("its name is none of the form kind.policy")
                algorithm(entry.name, source=entry.value)(entry.load())
            except Exception as error:  # its code may raise anything
                words = f"policy {entry.name}: {entry.value} cannot be used: {error}"
                raise PolicyProblem(words) from error


#: Group of the entry points under which other distributions bring policies.
POLICIES = "farkas.policies"

#: What to use in place of algorithms that are gone.
GONE = {
    "coded.chance_stretch": "coded.chance_search",
    "dps.bwk": "dps.simple",
    "gadget.lp_rs_mde": "gadget.gadget with rounds=1000",
}

algorithms = AlgorithmRegistry("algorithm", "farkas.online")
environments: Registry[Environment] = Registry("environment", "farkas.online")
#: By kind; the demo of a kind that is not here runs all its algorithms.
demos: Registry[Demo] = Registry("demo", "farkas.online")

Maker = TypeVar("Maker", bound=Callable[..., Any])
EnvironmentClass = TypeVar("EnvironmentClass", bound=type)


def algorithm(
    name: str,
    *,
    source: str = "",
    problem: str = "",
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    relaxed: bool = False,
) -> Callable[[Maker], Maker]:
    """Register a policy class, or a function that makes one; its keyword arguments are options.

    Parameters
    ----------
    name, source, problem, relaxed
        As of `Algorithm`; under the name of a paper's algorithm runs what the paper prints.
    variants
        Repairs and readings of our own by name, with the options that differ: ``{"tight":
        {"relax": "tight"}}`` registers ``name[tight]``.
    """

    def register(make: Maker) -> Maker:
        doc = inspect.getdoc(make)
        if not doc:
            raise ValueError(f"algorithm {name!r} needs a docstring")
        options, types = options_of(make, name)
        algorithms.add(name, Algorithm(name, source, problem, doc, make, options, types, relaxed))
        for variant, others in variants.items():
            full, own = f"{name}[{variant}]", {**options, **others}
            what = f"{source}; variant of our own" if source else ""
            algorithms.add(full, Algorithm(full, what, problem, doc, make, own, types, relaxed))
        return make

    return register


def options_of(make: Callable[..., Any], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return default and type of every keyword argument; raises ValueError without a default."""
    options: dict[str, Any] = {}
    for parameter in inspect.signature(make).parameters.values():
        if parameter.default is parameter.empty:
            raise ValueError(f"{name}: option {parameter.name!r} needs a default")
        options[parameter.name] = parameter.default
    hints = typing.get_type_hints(make, include_extras=True)
    return options, {option: hints.get(option, Any) for option in options}


def environment(
    kind: str, *, demo: Demo | None = None
) -> Callable[[EnvironmentClass], EnvironmentClass]:
    """Register an `Environment` class, made without arguments, and what the demo shows of it.

    A class with some of its parts gets the defaults of the others.
    """

    def register(cls: EnvironmentClass) -> EnvironmentClass:
        made = cls if issubclass(cls, Environment) else type(cls.__name__, (cls, Environment), {})
        environments.add(kind, made())
        if demo is not None:
            demos.add(kind, demo)
        return cls

    return register


SOLVER_PACKAGES = (
    "clarabel", "cvxpy", "gurobipy", "highspy", "mosek", "numba", "pyscipopt", "scipy",
)  # fmt: skip


def manifest(instance: Any, seed: int) -> Manifest:
    """Record versions and hashes."""
    return Manifest(
        farkas=farkas.__version__,
        python=platform.python_version(),
        numpy=np.__version__,
        solvers=dict(installed()),
        seed=seed,
        instance_sha256=instance.sha256,
    )


@functools.cache
def installed() -> Mapping[str, str]:
    """Versions of the solver packages on this machine, by package."""
    from importlib import metadata  # takes longer than most imports

    found: dict[str, str] = {}
    for package in SOLVER_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return MappingProxyType(found)


@contextlib.contextmanager
def collector_resting() -> Iterator[None]:
    """Let the collector of cycles rest: it looks at all records, and these have none."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@collector_resting()
def plain(value: Any) -> Any:
    """Plain data of a decision: arrays, numpy scalars, fractions and structs become JSON values."""
    if hasattr(value, "plain"):  # columns that know their records
        return value.plain()
    return msgspec.to_builtins(value, enc_hook=_plain_object, str_keys=True)


def _plain_object(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"a decision holds a {type(value).__name__}, which JSON cannot")


def to_bytes(run: Run) -> bytes:
    """File content of a run."""
    return msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n"


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run file in one step; raises `FileProblem`."""
    write_bytes(path, to_bytes(run))


class StepAnswer(NamedTuple):
    """What a step solved."""

    value: float = math.nan  #: Value of its program; NaN without one.
    dual: float = math.nan  #: Bound on that value which the solver claims.
    answers: Sequence[SubproblemAnswer] = ()  #: Of all its programs, in turn.

    @classmethod
    def by(cls, policy: Policy, answers: Sequence[SubproblemAnswer]) -> Self:
        """Return what a step solved, with what its policy says of it."""
        return cls(*policy.dual(answers), answers) if answers else cls()


@dataclasses.dataclass(frozen=True, slots=True)
class DecisionLog:
    """What a policy did."""

    decisions: Sequence[Any]  #: One per arrival.
    state: Any = None  #: The last one; None where there were no steps.
    solved: Sequence[StepAnswer] = ()  #: One per step; empty without steps.
    #: seconds, longest: time in all, and that of the longest step, by `clock`.
    seconds: float = 0.0
    longest: float = 0.0


@collector_resting()
def slots_of(
    run: Run,
    world: Environment,
    instance: Any,
    solved: Sequence[StepAnswer],
    theorem: Increments | None,
) -> list[Slot]:
    """Return the record of every slot: what was solved, decided and proved up to it."""
    found, slots = [], len(run.costs)
    bounds = None if run.certificate is None else world.bounds_so_far(instance, run.certificate)
    programs = world.by_slot(instance, solved)
    if len(programs) != slots:  # a kind whose costs are those of something else
        programs = [StepAnswer()] * slots
    values = np.array([world.value_of(costs) for costs in run.costs], dtype=float)
    finite = np.isfinite(values)
    exact = exactly(np.where(finite, values, 0.0))
    sums = itertools.accumulate(exact.numbers.tolist())  # whole numbers: fractions are slow to add
    up, down = 1 << max(exact.exponent, 0), 1 << max(-exact.exponent, 0)
    reached, words, ratio, known_total, known_bound = 0.0, None, None, 0, None
    dates = [None] * slots if bounds is None else bounds[:slots]
    rows = zip(values.tolist(), finite.tolist(), sums, dates, programs, strict=True)
    for slot, (value, known, total, proved, each) in enumerate(rows):
        # many slots of a long horizon change neither
        if more_earned := total != known_total:
            known_total, reached = total, total * up / down
        if new_bound := proved is not known_bound:
            words, known_bound = None if proved is None else str(proved), proved
        if (more_earned or new_bound) and proved is not None and not run.violations:
            # rounded sums may be better than the bound by their rounding
            ratio = ratio_at_most(world.sense, (total * up, down), proved, exact=False)
        more: dict[str, Any] = {}
        if each.answers:
            more["program"], more["solver"] = each.answers[-1].program, each.answers[-1].solver
            more["programs"] = len(each.answers)
            more["seconds"] = sum(answer.seconds for answer in each.answers)
            more["fractional"] = each.value if math.isfinite(each.value) else None
            more["dual"] = each.dual if math.isfinite(each.dual) else None
        if theorem is not None:
            more["left"], more["right"] = str(theorem.left[slot]), str(theorem.right[slot])
        at, up_to = (value, reached) if known else (None, None)
        found.append(
            Slot(value=at, value_so_far=up_to, bound_so_far=words, ratio_so_far=ratio, **more)
        )
    return found
