"""Distribution of certified ratios by algorithm and options."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from farkas.certificates.doubles import double
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.certificates.run_bound import among as of_some
from farkas.errors import InvalidOption
from farkas.experiments.sweeps.guarantees import (
    Expectation,
    Promise,
    expectations,
    guarantees_of,
    hold,
)
from farkas.experiments.sweeps.store import Store
from farkas.experiments.sweeps.task import Result
from farkas.instances import Instance
from farkas.messages import named
from farkas.online import algorithms
from farkas.online.driver import plain
from farkas.online.run import Sense

LEVELS = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)
LEVEL = 0.95  #: Probability that an interval is meant to cover the mean with.
FEWEST = 5  #: Below so many instances a resampled mean says little about the next one.


@dataclasses.dataclass(frozen=True, slots=True)
class Worst:
    """Run with the largest certified ratio: its address, and hash and name of its instance."""

    key: str
    instance: str
    name: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """What a sweep says about one algorithm with one set of options."""

    name: str  #: As in `Task`.
    options: dict[str, Any]  #: As in `Task`.
    sense: Sense  #: ``min`` for costs.
    tasks: int  #: Tasks in all.
    left_out: dict[str, int]  #: Why tasks have no certified ratio, with their number.
    by_instance: dict[str, list[float]]  #: Certified ratios, >= 1, by hash of the instance.
    mean: float | None = None  #: Over all certified runs; None without any.
    #: 95 % confidence interval of the mean; None for fewer than five instances.
    interval: tuple[float, float] | None = None
    #: Of randomised policies, the instance with the largest ratio of expected values; None where no
    #: instance has runs of two seeds.
    expectation: Expectation | None = None
    #: By percentage; empty without any.
    quantiles: dict[str, float] = dataclasses.field(default_factory=dict)
    worst: Worst | None = None  #: None without any.
    #: The theorems held against these runs.
    promises: list[Promise] = dataclasses.field(default_factory=list)
    seconds: float | None = None  #: Mean wall time of a certified task.
    among: str = ""  #: Which decisions alone some of the bounds are about; empty for all.

    @property
    def values(self) -> list[float]:
        return [ratio for ratios in self.by_instance.values() for ratio in ratios]

    @property
    def label(self) -> str:
        """Name with the options that are not the default, for tables and legends."""
        usual = dict(plain(algorithms[self.name].options)) if self.name in algorithms else {}
        options = {k: v for k, v in self.options.items() if k not in usual or usual[k] != v}
        shown = ", ".join(f"{named(k)}={named(str(v))}" for k, v in options.items())
        return f"{named(self.name)} ({shown})" if shown else named(self.name)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def ratios(
    store: Store,
    *,
    seed: int = 0,
    said: Mapping[str, str] | None = None,
) -> list[Ratios]:
    """Summarise every algorithm of a store, by name.

    A ratio enters only with a proved bound; the others are counted in `left_out`.  ``seed`` is of
    the resampling; ``said`` is what `farkas.experiments.sweeps.rechecked` says of the results with
    a bound that count, all if left out.
    """
    results = [
        _light(result, (said or {}).get(result.key, ""))
        for result in store.results(output=True)
        if said is None or not result.bound or result.key in said
    ]
    groups: dict[tuple[str, bytes], list[Result]] = collections.defaultdict(list)
    for result in results:
        task = result.task
        options = msgspec.json.encode(task.options, order="deterministic")
        groups[task.name, options].append(result)
    best = _best_values(results)
    instance = functools.cache(store.instance)
    return [_summary(group, best, instance, seed) for _, group in sorted(groups.items())]


def _light(result: Result, words: str) -> Result:
    """Drop decisions and certificates, which would not fit into memory for a large sweep."""
    if words.startswith("rejected"):
        result = msgspec.structs.replace(result, recheck=words)
    if result.output is None:
        return result
    kept: dict[str, Any] = {
        name: result.output[name] for name in ("sense", "violations") if name in result.output
    }
    proof = (result.output.get("certificate") or {}).get("certificate") or {}
    kept["among"] = of_some(*(str(proof.get(key)) for key in ("kind", "certificate", "program")))
    return msgspec.structs.replace(result, output=kept)


def _sense(results: Iterable[Result]) -> Sense:
    senses: list[Sense] = [r.output["sense"] for r in results if r.output and "sense" in r.output]
    return senses[0] if senses else "min"


def _summary(
    group: list[Result],
    best: dict[str, dict[str, float]],
    instance: Callable[[str], Instance],
    seed: int,
) -> Ratios:
    task, sense = group[0].task, _sense(group)
    why = {r.key: why_left_out(r) for r in group}
    certified = [result for result in group if not why[result.key]]
    left_out = collections.Counter(filter(None, why.values()))
    by_instance: dict[str, list[float]] = collections.defaultdict(list)
    for result in certified:
        assert result.ratio is not None  # it would be left out
        by_instance[result.task.instance].append(result.ratio)
    common: dict[str, Any] = {
        "name": task.name, "options": dict(task.options), "sense": sense,
        "tasks": len(group), "left_out": dict(left_out), "by_instance": dict(by_instance),
    }  # fmt: skip
    if not certified:
        return Ratios(**common)
    values = [ratio for ratios in by_instance.values() for ratio in ratios]
    last = max(certified, key=lambda result: (result.ratio, result.key))
    sha = last.task.instance
    return Ratios(
        **common,
        mean=double(sum(map(Fraction, values), Fraction(0)) / len(values), up=True),
        interval=interval(by_instance, seed=seed),
        quantiles=quantiles(values),
        expectation=_largest(certified, sense),
        worst=Worst(last.key, sha, instance(sha).name),
        promises=[
            hold(item, certified, instance, best, sense) for item in guarantees_of(task.name)
        ],
        seconds=sum(result.seconds for result in certified) / len(certified),
        among=max((r.output or {}).get("among", "") for r in certified),
    )


def _largest(certified: list[Result], sense: Sense) -> Expectation | None:
    """Return the expectation of the largest ratio; runs of one value need no seeds."""
    known = [one for one in expectations(certified, sense) if one.ratio is not None]
    if all(one.low == one.high for one in known):
        return None
    return max(known, key=lambda one: (one.ratio, one.instance))


def why_left_out(result: Result) -> str:
    """Why a result has no certified ratio; empty when it has one."""
    if result.status != "done":
        return result.status
    if result.recheck.startswith("rejected"):
        return "certificate rejected"
    if (result.output or {}).get("violations"):
        return "breaks a requirement"
    if not result.bound:
        return "no bound proved"
    options = msgspec.json.encode(result.task.options, order="deterministic")
    if _refuses(result.task.name, options):
        return "options that its algorithm refuses"
    if result.ratio is None or result.value is None:
        # a ratio would be infinite, whether because of the algorithm or of the bound
        earns = (result.output or {}).get("sense") == "max"
        return "earned nothing" if earns else "bound of zero"
    return ""


@functools.cache
def _refuses(name: str, options: bytes) -> bool:
    """Whether an algorithm that is here refuses the options, on which guarantees depend."""
    if name not in algorithms:
        return False
    try:
        algorithms[name].policy(**msgspec.json.decode(options))
    except InvalidOption:
        return True
    return False


def _best_values(results: Iterable[Result]) -> dict[str, dict[str, float]]:
    """By instance and name, the best value of a run that breaks nothing.

    What was rejected is none, nor what has no bound: nobody proves its value again.
    """
    best: dict[str, dict[str, float]] = collections.defaultdict(dict)
    for result in results:
        task, value, output = result.task, result.value, result.output
        if result.status != "done" or output is None or value is None:
            continue
        if not result.bound or result.recheck.startswith("rejected"):
            continue
        if not output.get("violations"):
            better = min if output["sense"] == "min" else max
            known, name = best[task.instance], task.name.partition("[")[0]
            known[name] = better(value, known.get(name, value))
    return best


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Quantiles of `LEVELS` by their percentage.

    >>> quantiles([1.0, 1.5, 2.0])["50"]
    1.5
    """
    found = np.quantile(np.asarray(values, dtype=float), LEVELS)
    return {f"{100 * level:g}": float(q) for level, q in zip(LEVELS, found, strict=True)}


def interval(
    groups: Mapping[str, Sequence[float]], *, seed: int = 0, draws: int = 10_000
) -> tuple[float, float] | None:
    """Confidence interval of the mean by resampling whole instances; None for too few.

    Runs on one instance are not independent: instances are drawn with replacement, each with all
    its runs (percentile bootstrap).  ``groups`` are ratios by instance, none empty.
    """
    if len(groups) < FEWEST:
        return None
    sums = np.array([sum(values, 0.0) for values in groups.values()], dtype=float)
    counts = np.array([len(values) for values in groups.values()])
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(groups), size=(draws, len(groups)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, 1 - (1 - LEVEL) / 2])
    return float(low), float(high)


def interval_words(ends: tuple[float, float]) -> str:
    """Write the ends of an interval of ratios, rounded outwards.

    >>> interval_words((1.0132209, 1.0132201))
    '1.01322 – 1.01323'
    """
    low, high = ends
    return f"{rounded(low, up=False, digits=6)} – {ratio_words(high)}"
