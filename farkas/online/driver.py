"""What a kind adds to the loop, and the algorithms that are registered.

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
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from farkas.errors import InvalidInstance, InvalidOption, PolicyProblem
from farkas.messages import shown
from farkas.messages.refusals import parsed
from farkas.online.recording import plain
from farkas.online.run import Bound, Run, Sense
from farkas.registry import Registry

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
        if reasons:
            return Outcome([], reasons, math.nan)
        found = self.worth(instance, decisions)
        found.violations.extend(self.broken(instance, decisions))
        return found

    def unusable(self, instance: Any, decisions: Sequence[Any]) -> list[str]:
        """Say why decisions have no value at all, in words."""
        return []

    def worth(self, instance: Any, decisions: Sequence[Any]) -> Outcome:
        """Return what usable decisions are worth."""
        raise NotImplementedError

    def broken(self, instance: Any, decisions: Sequence[Any]) -> list[str]:
        """List the requirements that decisions break, in words."""
        return []

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
        return None

    def value_of(self, costs: Mapping[str, float]) -> float:
        """Return what the parts of a slot's costs add to the value; by default their sum."""
        return sum(map(float, costs.values()))

    def by_slot(self, instance: Any, steps: Sequence[T]) -> Sequence[T]:
        """Return what belongs to every slot, of what belongs to every step; by default the same."""
        return steps


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
    source_sha256: str = ""  #: Of the file of a policy that is not farkas's own; else empty.

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    def settle(self, given: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
        """Return every option with its value, checked.

        Parameters
        ----------
        given
            Options by name.
        strict
            Whether text stands for text only; the command line passes False.

        Raises
        ------
        InvalidOption
            An unknown option, or a value of the wrong type.
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
        """Run on ``instance`` and certify.

        Parameters
        ----------
        instance
            Instance of the algorithm's kind.
        seed
            Seed of every random draw.
        progress
            Called after every step.
        options
            See `options`.

        Raises
        ------
        InvalidInstance
            The instance is of another kind.
        InvalidOption
            An unknown option, or a value of the wrong type.
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

    def _load(self, owner: str | None) -> None:
        super()._load(owner)
        from importlib import metadata  # takes longer than most imports

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
