"""The driver: a policy meets the arrivals one after the other, and the run is certified.

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
from typing import Any, TypeVar

import msgspec

from farkas.certificates.files import from_json
from farkas.certificates.runs import bounds_run
from farkas.errors import InvalidInstance, InvalidOption, NoAnswer
from farkas.kernels import clock
from farkas.messages import parsed, shown
from farkas.online.deciding import AtOnce as AtOnce
from farkas.online.deciding import Certifying as Certifying
from farkas.online.deciding import Clairvoyant as Clairvoyant
from farkas.online.deciding import Policy as Policy
from farkas.online.deciding import Preparing as Preparing
from farkas.online.deciding import Priced as Priced
from farkas.online.deciding import Progress, Remarking, decide
from farkas.online.recording import manifest, plain
from farkas.online.run import Bound, Run, Sense, prove_value
from farkas.registry import Registry


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
        settled = self.settle(options)
        policy, said = self.make(**settled), plain(settled)
        return drive(policy, instance, seed, progress=progress, name=self.name, options=said)


@dataclasses.dataclass(frozen=True, slots=True)
class Demo:
    """What ``farkas demo`` shows of a kind, on the instance ``<kind>/demo`` that ships with it."""

    algorithm: str  #: The one of the kind's paper.
    program: str = ""  #: Plans with hindsight; the line is left out without one.
    relaxation: str = ""  #: Program whose dual bounds it; by default its own linear relaxation.
    measure: str = ""  #: What values of the program are, where they are not what runs are worth.


algorithms: Registry[Algorithm] = Registry("algorithm", "farkas.online")
environments: Registry[Environment] = Registry("environment", "farkas.online")
#: By kind; the demo of a kind that is not here runs all its algorithms.
demos: Registry[Demo] = Registry("demo", "farkas.online")

Maker = TypeVar("Maker", bound=Callable[..., Any])
EnvironmentClass = TypeVar("EnvironmentClass", bound=type)


def algorithm(name: str, *, source: str = "", problem: str = "") -> Callable[[Maker], Maker]:
    """Register a policy class, or a function that makes one; its keyword arguments are options."""

    def register(make: Maker) -> Maker:
        doc = inspect.getdoc(make)
        if not doc:
            raise ValueError(f"algorithm {name!r} needs a docstring")
        options: dict[str, Any] = {}
        for parameter in inspect.signature(make).parameters.values():
            if parameter.default is parameter.empty:
                raise ValueError(f"{name}: option {parameter.name!r} needs a default")
            options[parameter.name] = parameter.default
        hints = typing.get_type_hints(make, include_extras=True)
        types = {option: hints.get(option, Any) for option in options}
        algorithms.add(name, Algorithm(name, source, problem, doc, make, options, types))
        return make

    return register


def environment(
    kind: str, *, demo: Demo | None = None
) -> Callable[[EnvironmentClass], EnvironmentClass]:
    """Register an `Environment` class, made without arguments, and what the demo shows of it."""

    def register(cls: EnvironmentClass) -> EnvironmentClass:
        environments.add(kind, cls())
        if demo is not None:
            demos.add(kind, demo)
        return cls

    return register


def drive(
    policy: Any,
    instance: Any,
    seed: int = 0,
    *,
    progress: Progress | None = None,
    name: str | None = None,
    options: dict[str, Any] | None = None,
) -> Run:
    """Let ``policy`` decide about one arrival after the other, then price and certify the run.

    The decisions are then replayed in exact arithmetic, by code that shares nothing with what
    priced them; the certified ratio is that of exact value and exact bound.
    Timings hold no compiling: what a policy does not prepare is compiled while `clock` stands.

    Parameters
    ----------
    policy
        `Policy` or `Clairvoyant`; may also be `AtOnce`, `Preparing`, `Priced`, `Certifying`,
        `Remarking`.
    instance
        Instance of a kind that has an environment.
    seed
        Seed of every random draw.
    progress
        Called after every step.
    name, options
        What the run says of its policy; by default its class and no options.

    Raises
    ------
    NoAnswer
        When the value is beyond doubles.
    NotACertificate
        When environment and replay disagree, or the value is better than the bound allows.
    """
    world = environments[instance.kind]
    done = decide(policy, world, instance, seed, progress)
    begin, decisions, state = clock(), done.decisions, done.state
    judge = policy if isinstance(policy, Priced) else world
    outcome = judge.evaluate(instance, decisions)
    called, used = name or f"{instance.kind}.{type(policy).__name__}", options or {}
    if math.isinf(outcome.total) and not outcome.violations:
        raise NoAnswer(f"{called}: decisions are worth more than doubles hold; use larger units")
    evaluated, made = clock(), plain(decisions)
    bound = policy.certify(instance, state, decisions) if isinstance(policy, Certifying) else None
    if bound is None:
        # what bounds runs as the environment prices them may not bound what this policy's are worth
        bound = world.bound(instance)
        if bound is not None and bound.certificate is not None:
            bound = bound if bound_holds(bound, instance.kind, used, called, made) else None
    certified = clock()
    run = Run(
        algorithm=called,
        kind=instance.kind,
        options=used,
        instance=instance.name,
        sense=world.sense,
        value=outcome.total,
        costs=plain(outcome.costs),
        decisions=made,
        violations=list(outcome.violations),
        certificate=bound,
        numbers={name: float(x) for name, x in outcome.numbers.items()},
        remarks=outcome.remarks + (policy.remarks(state) if isinstance(policy, Remarking) else []),
        timings={
            "policy": done.seconds,
            "longest_step": done.longest,
            "evaluate": evaluated - begin,
            "certify": certified - evaluated,
        },
        manifest=manifest(instance, seed),
    )
    written = clock()
    run.remember(instance)
    prove_value(run, instance)
    run.timings["replay"] = clock() - written
    return run


def bound_holds(
    bound: Bound, kind: str, options: Mapping[str, Any], name: str, decisions: Sequence[Any]
) -> bool:
    """Whether the program that a bound is about bounds a run, as its kind lists it.

    Parameters
    ----------
    bound
        With the certificate that proves it; without one it is nobody's bound.
    kind, options, name, decisions
        Of the run: its kind, options and name of its algorithm, and what that decided, plain data.
    """
    if bound.certificate is None:
        return False
    certificate = from_json(msgspec.json.encode(bound.certificate), "certificate of a bound")
    return bounds_run(certificate, kind, options, name, decisions)
