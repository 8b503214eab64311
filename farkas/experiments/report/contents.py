"""What a report says, as plain data, before anything is drawn."""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec

from farkas.adversary.shipped import statements_of
from farkas.experiments.figures import Figure
from farkas.experiments.sweeps import Ratios, Rechecked, Store, ratios, settled_seed
from farkas.experiments.sweeps.trajectories import of_run
from farkas.experiments.worst_cases import WorstKnown, case_of
from farkas.instances import Instance
from farkas.messages import named
from farkas.online import Run
from farkas.proofs.claim import Claim, select
from farkas.proofs.verdict import Verdict

#: Algorithms whose worst run is drawn slot by slot; the page says how many there are.
MOST_SHOWN = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """A run with its charts over slots."""

    label: str  #: algorithm with its options
    instance: str  #: its name, with what identifies it
    data: Instance
    run: Run
    charts: list[tuple[str, str, Figure]]  #: title, explanation and data


@dataclasses.dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim and, where it was checked, its verdict."""

    claim: Claim
    verdict: Verdict | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Everything a report shows."""

    title: str
    store: str  #: its file name
    kinds: list[str]
    statuses: dict[str, int]  #: number of tasks by status
    #: Number of results with a bound that were ``"proved again"`` for this report, or only their
    #: ``"bound proved again"``; that were ``"rejected"``, now or before; and of those that are
    #: ``"the store's word"``.
    rechecks: dict[str, int]
    seed: int
    drawn: str  #: words that tell of the draw
    objections: dict[str, str]  #: what was rejected now, by address, with the reason
    ratios: list[Ratios]
    runs: list[Shown]  #: the worst of every algorithm
    unshown: int  #: algorithms whose worst run is left out for the size of the page
    failures: list[tuple[str, str, str, int]]  #: name, status, error and number of tasks
    worst: list[WorstKnown]  #: that ship of the algorithms, proved now
    unsearched: list[str]  #: algorithms of which none ships
    ledger: list[CheckedClaim]
    manifests: list[tuple[dict[str, str], int]]  #: versions, and the number of runs that used them

    @property
    def tasks(self) -> int:
        return sum(self.statuses.values())

    @property
    def certified(self) -> int:
        return sum(len(item.values) for item in self.ratios)


def collect(
    store: Store,
    *,
    title: str = "",
    check_claims: bool = False,
    recheck: float = 0.0,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Contents:
    """Gather what a report says about a store.

    Parameters
    ----------
    store
        Results of a sweep.
    title
        Head of the page; the name of the file by default.
    check_claims
        Whether the claims are checked now, which may take minutes.
    recheck
        Share of the results that are proved again now, see `prove_again`.
    seed
        Of the draw; see `settled_seed`.
    progress
        Called with the number of claims checked and their total.
    """
    seed, drawn = settled_seed(seed, recheck)
    statuses: collections.Counter[str] = collections.Counter()
    rechecks: collections.Counter[str] = collections.Counter()
    failures: collections.Counter[tuple[str, str, str]] = collections.Counter()
    manifests: collections.Counter[bytes] = collections.Counter()
    kinds = set()
    again = Rechecked.of(store, recheck, seed)
    for result in store.results(output=True):
        if result.bound and result.key not in again.among:
            continue  # of a sweep that is still at work
        kinds.add(result.task.kind)
        statuses[result.status] += 1
        words = again.words.get(result.key, "")
        if result.recheck.startswith("rejected"):
            words = words if words.startswith("rejected") else result.recheck
        rejected = words.startswith("rejected")
        if result.status == "done" and result.bound:
            rechecks["rejected" if rejected else words or "the store's word"] += 1
        if result.status != "done" or rejected:
            why = result.error or words
            failures[result.task.name, result.status, why] += 1
        if result.output and "manifest" in result.output:
            manifests[_versions(result.output["manifest"])] += 1
    found = ratios(store, objections=again.objections, among=again.among)
    ran = sorted({item.name for item in found if item.what == "run"})
    worst = [case for kind in sorted(kinds) for case in _worst(kind, ran)]
    known = {case.name.partition("[")[0] for case in worst}
    with_worst = [item for item in found if item.what == "run" and item.worst is not None]
    return Contents(
        title=title or store.title(),
        store=store.path.name,
        kinds=sorted(kinds),
        statuses=dict(statuses),
        rechecks=dict(rechecks),
        seed=seed,
        drawn=drawn,
        objections=again.rejected,
        ratios=found,
        runs=[shown for item in with_worst[:MOST_SHOWN] if (shown := _shown(item, store))],
        unshown=max(0, len(with_worst) - MOST_SHOWN),
        failures=[(*key, count) for key, count in sorted(failures.items())],
        worst=worst,
        unsearched=[name for name in ran if name not in known],
        ledger=_ledger(sorted(kinds), check_claims, progress),
        manifests=[(msgspec.json.decode(k), count) for k, count in sorted(manifests.items())],
    )


def _versions(manifest: dict[str, Any]) -> bytes:
    names = ("farkas", "python", "numpy")
    versions = {name: manifest[name] for name in names} | manifest["solvers"]
    return msgspec.json.encode(versions)


def _shown(item: Ratios, store: Store) -> Shown | None:
    """Worst run of an algorithm; None when it has no slots, or the store does not hold it."""
    assert item.worst is not None
    output = store.output(item.worst.key)
    if output is None:
        return None
    try:
        run = msgspec.convert(output, Run)
        instance: Instance = store.instance(item.worst.instance)
        charts = list(of_run(instance, run))
    except Exception:
        # a store says of decisions whatever it likes; what cannot be drawn is left out
        return None
    sha, seed = item.worst.instance[:8], run.manifest.seed
    name = f"{named(run.instance or 'unnamed')} ({sha}), seed {seed}"
    return Shown(item.label, name, instance, run, charts) if charts else None


def _worst(kind: str, algorithms: list[str]) -> list[WorstKnown]:
    """Worst cases of algorithms, whatever their options; each is proved now."""
    every = [one for one in statements_of(kind) if one.name.partition("[")[0] in algorithms]
    return [case_of(one) for one in every]


def _ledger(
    kinds: list[str], check: bool, progress: Callable[[int, int], None] | None
) -> list[CheckedClaim]:
    chosen = [claim for claim in select() if claim.kind in kinds]
    found = []
    for done, claim in enumerate(chosen):
        found.append(CheckedClaim(claim, claim.run() if check else None))
        if progress is not None:
            progress(done + 1, len(chosen))
    return found
