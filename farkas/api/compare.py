"""Algorithms side by side on one instance, against proved bounds that hold for them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from types import NoneType
from typing import TYPE_CHECKING, Any

from farkas.api.inputs import InstanceOrName, as_instance, refuse_unknown
from farkas.api.limits import Overlong, limited, require_limit, require_search_limit
from farkas.api.optimum import best_bounds, optimum, tightest
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import is_optimal, ratio_or_optimal
from farkas.errors import (
    FarkasError,
    InvalidOption,
    NoAnswer,
    UnknownName,
    require_progress,
    require_seed,
    require_type,
)
from farkas.instances import Instance
from farkas.messages import KnowsOtherWords, method, named, number_of
from farkas.messages.formats import html_table
from farkas.messages.refusals import suggestion
from farkas.online import Bound, Run
from farkas.online import algorithms as registered
from farkas.online.driver import Algorithm
from farkas.online.policy import Policy, as_algorithm
from farkas.online.run import Sense, ratio_to
from farkas.tolerances import OPTIMAL

if TYPE_CHECKING:
    from farkas.offline.search import Advance


@dataclasses.dataclass(frozen=True, slots=True)
class ComparisonEntry:
    """One algorithm's part of a comparison."""

    algorithm: str
    #: value, ratio, seconds: None where the algorithm gave no run, or no ratio; the ratio is to the
    #: best bound.
    value: float | None = None
    ratio: float | None = None
    seconds: float | None = None
    #: Ratio to what the run proves itself; None where it proves nothing.
    own_ratio: float | None = None
    note: str = ""  #: Why not.
    run: Run | None = dataclasses.field(default=None, repr=False)  #: The run itself.

    def value_words(self, sense: Sense) -> str:
        """Nine digits of the value, which a cost is at most, a reward at least."""
        if self.run is not None:
            return self.run.value_words()
        return "-" if self.value is None else rounded(self.value, up=sense == "min")


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison(KnowsOtherWords):
    """Entries in order of their value, best first, with the best bound that holds for all.

    An entry whose ratio is to another bound, since its run decides something else, says so in its
    note.
    """

    instance: str
    kind: str
    sense: Sense
    bound: Bound | None
    entries: tuple[ComparisonEntry, ...]
    problem: str = ""

    @property
    def title(self) -> str:
        """Name of the instance, and the problem where it is not that of the kind's other runs."""
        return f"{named(self.instance)}, {self.problem}" if self.problem else named(self.instance)

    @property
    def proved(self) -> str:
        """The bound in digits, on its proved side, and what alone it bounds; ``none`` without.

        The digits are those of a value that is optimal.
        """
        if self.bound is None:
            return "none"
        among = self.bound.among
        limit = self.bound.fraction
        optimal = (
            entry.value_words(self.sense)
            for entry in self.entries
            if is_optimal(entry.ratio)  # of this bound, or of one that bounds something else
            and abs(Fraction(entry.value or 0) - limit) <= OPTIMAL * abs(limit)
        )
        return f"{next(optimal, self.bound.words(self.sense))}{among and f' ({among})'}"

    def __repr__(self) -> str:
        lines = [f"{self.title}: proved bound {self.proved}"]
        for entry in self.entries:
            ratio = "-" if entry.ratio is None else ratio_or_optimal(entry.ratio)
            value = entry.value_words(self.sense)
            lines.append(f"{entry.algorithm:24} {value:>12} {ratio:>8}  {entry.note}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        columns = ("algorithm", "value", "ratio", "seconds", "note")
        rows = [[getattr(entry, column) for column in columns] for entry in self.entries]
        return html_table(f"{self.title}: proved bound {self.proved}", columns, rows)

    plot, to_frame, save = method("plot"), method("to_frame"), method("save")

    def __iter__(self) -> Iterator[ComparisonEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, which: object) -> bool:
        return which in self.entries or any(e.algorithm == which for e in self.entries)

    def __getitem__(self, which: int | slice | str) -> Any:
        """Entry by its place, entries by a slice, or that of an algorithm; raises `UnknownName`."""
        if isinstance(which, int | slice):
            return self.entries[which]
        by_name = {entry.algorithm: entry for entry in self.entries}
        if which not in by_name:
            raise UnknownName.of("algorithm of this comparison", str(which), by_name)
        return by_name[which]

    @property
    def best(self) -> ComparisonEntry | None:
        """The entry of the best value that keeps every requirement; None where there is none."""
        kept = (e for e in self.entries if e.run is not None and not e.run.violations)
        return next(kept, None)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, without the runs."""
        bound = None
        if self.bound is not None:
            bound = {
                "value": self.bound.double(self.sense),
                "exact": self.bound.exact,
                "method": self.bound.method,
            }
        fields = ("algorithm", "value", "ratio", "own_ratio", "seconds", "note")
        return {
            "instance": self.instance,
            "kind": self.kind,
            "problem": self.problem,
            "sense": self.sense,
            "bound": bound,
            "algorithms": [{f: getattr(e, f) for f in fields} for e in self.entries],
        }


def compare(
    instance: InstanceOrName,
    algorithms: str | Policy | type | Iterable[str | Policy | type] | None = None,
    *,
    problem: str | None = None,
    seed: int = 0,
    solver: str | None = None,
    time_limit: float | None = None,
    bound_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    steps: Callable[[str, int, int | None], None] | None = None,
    bound_progress: Callable[[Advance], None] | None = None,
    **unknown: object,
) -> Comparison:
    """Run algorithms on ``instance`` and measure each against the best proved bound.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one.
    algorithms
        One or several, by name or as policies of your own, see `farkas.run`; by default all of the
        instance's kind that solve ``problem``.
    problem
        Program whose points the runs are, for example ``"coded.chance"``; by default what the runs
        of the kind are worth.  Runs of different problems have no bound in common.
    seed
        Seed of every run.
    solver
        Who solves the programs of the algorithms that solve some; by default each its fastest.
    time_limit
        Seconds for every algorithm, its certificate included; one that takes longer is stopped and
        has no value, the others are compared without it.
    bound_seconds
        Seconds for a search for the offline optimum, as by `farkas.optimum`, whose bound counts
        like those of the runs, and whose decisions are an entry like theirs; none by default.
    progress
        Called after every run with the number done and the total.
    steps
        Called with the name of an algorithm, the number of its steps done and their total: before
        its run, when no total is known, after every step, and when its run has ended.
    bound_progress
        Called whenever the search for the bound has moved its value or its bound.
    unknown
        Nothing: a misspelt option is told by the nearest that there is.

    Raises
    ------
    UnknownName
        An algorithm that does not exist.
    InvalidInstance
        An algorithm takes instances of another kind.
    InvalidOption
        No algorithm is left to compare, or an argument is of a wrong type.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.compare("mlbroker/tiny", ["mlbroker.fractional", "mlbroker.opt"])
    >>> [(entry.algorithm, round(entry.ratio, 6)) for entry in found.entries]
    [('mlbroker.fractional', 1.0), ('mlbroker.opt', 1.0)]
    """
    refuse_unknown(compare, unknown)
    instance = as_instance(instance)
    require_seed(seed)
    require_progress(progress)
    require_progress(steps)
    require_progress(bound_progress)
    require_limit(time_limit)
    require_search_limit(bound_seconds, "bound_seconds")
    chosen: Any = algorithms
    if isinstance(chosen, str | type) or not isinstance(chosen, Iterable | NoneType):
        chosen = [chosen]
    require_type(problem, (str, NoneType), "problem")
    items = _chosen(instance.kind, chosen, problem)
    outcomes: list[Run | FarkasError] = []
    for done, item in enumerate(items):
        outcomes.append(_run(item, instance, seed, solver, time_limit, steps))
        if progress is not None:
            progress(done + 1, len(items))
    labels = _labels(items)
    if bound_seconds is not None:
        with contextlib.suppress(NoAnswer):  # no decisions in time
            known = optimum(
                instance, problem=items[0].problem or None, time_limit=bound_seconds,
                progress=bound_progress,
            ).run  # fmt: skip
            labels.append(known.algorithm)
            outcomes.append(known)
    runs = [run for run in outcomes if isinstance(run, Run)]
    bounds = dict(zip(map(id, runs), best_bounds(runs), strict=True))
    sense = runs[0].sense if runs else "min"
    # what holds for all is the loosest of what holds for each; points of a relaxation are apart
    apart = {item.name for item in items if item.relaxed}
    whole = [bounds[id(run)] for run in runs if run.algorithm not in apart]
    bound = tightest(whole or bounds.values(), "max" if sense == "min" else "min")
    entries = [
        _entry(label, out, instance, bounds.get(id(out)), bound)
        for label, out in zip(labels, outcomes, strict=True)
    ]
    sign = 1 if sense == "min" else -1
    entries.sort(key=lambda e: (e.value is None, sign * (e.value or 0.0), e.algorithm))
    return Comparison(instance.name, instance.kind, sense, bound, tuple(entries), items[0].problem)


def _run(
    item: Algorithm,
    instance: Instance,
    seed: int,
    solver: str | None,
    time_limit: float | None,
    steps: Callable[[str, int, int | None], None] | None,
) -> Run | FarkasError:
    """Run one algorithm; the error is why there is no run."""
    done, total = 0, 0

    def count(step: int, of: int) -> None:
        nonlocal done, total
        done, total = step, of
        if steps is not None:
            steps(item.name, step, of)

    if steps is not None:
        steps(item.name, 0, None)
    try:
        with limited(time_limit):
            given = {"solver": solver} if solver and "solver" in item.options else {}
            return item.run(instance, seed, progress=count, **given)
    except FarkasError as error:
        return error
    except Overlong:
        after = f" after {done} of {total} steps" if total else ""
        return NoAnswer(f"stopped{after} by the time limit of {time_limit:g} s")
    finally:
        if steps is not None and done < total:
            steps(item.name, total, total)


def _chosen(kind: str, names: Iterable[Any] | None, problem: str | None) -> list[Algorithm]:
    """Algorithms to compare; raises `InvalidOption` when there are none, or of two problems."""
    if names is None:
        of_kind = [registered[name] for name in registered.names(f"{kind}.")]
        found = [item for item in of_kind if item.problem == (problem or "")]
        known = sorted({item.problem for item in of_kind if item.problem})
    else:
        found = []
        for item in (as_algorithm(name, kind) for name in names):
            if item not in found:  # policies of one name may be different ones
                found.append(item)
        known = sorted({item.problem or f"what kind {kind} asks for" for item in found})
        if len(known) > 1:
            raise InvalidOption(f"these algorithms solve different problems: {', '.join(known)}")
        if problem is not None and known != [problem]:
            raise InvalidOption(f"these algorithms do not solve {named(problem)}")
    if not found:
        what = f"kind {kind}" if problem is None else f"kind {kind} for {named(problem)}"
        hint = "" if names is not None or problem is None else suggestion(problem, known)
        raise InvalidOption(f"no algorithm of {what} to compare{hint}")
    return found


def _labels(items: Sequence[Algorithm]) -> list[str]:
    """Names of algorithms; those of one name with the options that differ, or numbered."""
    found: list[str] = []
    for item in items:
        others = [one for one in items if one.name == item.name and one is not item]
        differ = {
            f"{named(key)}={named(str(value))}": None
            for key, value in item.options.items()
            for one in others
            if one.options.get(key) != value
        }
        label = f"{item.name} ({', '.join(differ)})" if differ else item.name
        if any(one.options == item.options for one in others):
            label += f" #{1 + sum(one.rpartition(' #')[0] == label for one in found)}"
        found.append(label)
    return found


def _entry(
    name: str,
    outcome: Run | FarkasError,
    instance: Instance,
    bound: Bound | None,
    common: Bound | None,
) -> ComparisonEntry:
    if not isinstance(outcome, Run):
        return ComparisonEntry(name, note=str(outcome))
    seconds = outcome.timings.get("policy")
    if outcome.violations:
        note = (
            f"breaks {number_of(len(outcome.violations), 'requirements')}: {outcome.violations[0]}"
        )
        return ComparisonEntry(name, outcome.value, seconds=seconds, note=note, run=outcome)
    ratio = ratio_to(outcome, instance, bound)
    notes = list(outcome.remarks)
    if ratio is None and outcome.sense == "max" and not outcome.value:
        notes.insert(0, "earns nothing, so that it has no ratio")
    if bound is not None and common is not None and bound.fraction != common.fraction:
        notes.insert(0, f"ratio to {bound.words(outcome.sense)}: {bound.method}")
    return ComparisonEntry(
        name, outcome.value, ratio, seconds, outcome.ratio, "; ".join(notes), outcome
    )
