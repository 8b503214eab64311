"""The page: one file with its style, its script and its drawings."""

import collections
import dataclasses
import itertools
import re
from importlib import resources
from typing import Any

import msgspec
from markupsafe import Markup, escape

import farkas
from farkas.api.proof_page import proof_section
from farkas.api.stand_alone import stand_alone
from farkas.errors import FarkasError
from farkas.experiments.report.charts import at_most, number, spread
from farkas.experiments.sweeps import Ratios, Store, ratios, rechecked
from farkas.experiments.sweeps.guarantees import Promise
from farkas.experiments.sweeps.ratios import Worst, interval_words
from farkas.experiments.sweeps.sweep import claims_bound
from farkas.instances import Instance
from farkas.instances.writing import to_bytes
from farkas.messages import cleaned
from farkas.online import Run

#: Algorithms whose worst run leaves its bound in the page, to be checked there.
MOST_CHECKED = 12


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
    objections: dict[str, str]  #: what was rejected now, by address, with the reason
    ratios: list[Ratios]
    runs: list[tuple[Run, Instance]]  #: the worst of every algorithm
    failures: list[tuple[str, str, str, int]]  #: name, status, error and number of tasks
    manifests: list[tuple[dict[str, str], int]]  #: versions, and the number of runs that used them

    @property
    def tasks(self) -> int:
        return sum(self.statuses.values())

    @property
    def certified(self) -> int:
        return sum(len(item.values) for item in self.ratios)


def collect(store: Store, *, title: str = "", prove: bool = False) -> Contents:
    """Gather what a report says about a store.

    The file's name is the ``title`` by default.  With ``prove`` all results are proved again, see
    `prove_again`.
    """
    statuses: collections.Counter[str] = collections.Counter()
    rechecks: collections.Counter[str] = collections.Counter()
    failures: collections.Counter[tuple[str, str, str]] = collections.Counter()
    manifests: collections.Counter[bytes] = collections.Counter()
    kinds = set()
    said = rechecked(store, prove=prove)
    for result in store.results(output=True):
        if result.bound and result.key not in said:
            continue  # of a sweep that is still at work
        kinds.add(result.task.kind)
        statuses[result.status] += 1
        words = said.get(result.key, "")
        if result.recheck.startswith("rejected"):
            words = words if words.startswith("rejected") else result.recheck
        rejected = words.startswith("rejected")
        if claims_bound(result):
            rechecks["rejected" if rejected else words] += 1
        if result.status != "done" or rejected:
            why = result.error or words
            failures[result.task.name, result.status, why] += 1
        if result.output and "manifest" in result.output:
            manifests[_versions(result.output["manifest"])] += 1
    found = ratios(store, said=said)
    worst = [item.worst for item in found if item.worst is not None]
    return Contents(
        title=title or store.path.stem,
        store=store.path.name,
        kinds=sorted(kinds),
        statuses=dict(statuses),
        rechecks=dict(rechecks),
        objections={key: words for key, words in said.items() if words.startswith("rejected")},
        ratios=found,
        runs=[made for one in worst[:MOST_CHECKED] if (made := _run(one, store))],
        failures=[(*key, count) for key, count in sorted(failures.items())],
        manifests=[(msgspec.json.decode(k), count) for k, count in sorted(manifests.items())],
    )


def _versions(manifest: dict[str, Any]) -> bytes:
    names = ("farkas", "python", "numpy")
    versions = {name: manifest[name] for name in names} | manifest["solvers"]
    return msgspec.json.encode(versions)


def _run(worst: Worst, store: Store) -> tuple[Run, Instance] | None:
    """Read a run with its instance; None where the store holds no run there."""
    try:
        return msgspec.convert(store.output(worst.key), Run), store.instance(worst.instance)
    except (FarkasError, msgspec.ValidationError):  # a store says whatever it likes
        return None


#: Characters of certificates, with their instances, that a page holds for who checks them there.
MOST_EMBEDDED = 300_000

KIND_TITLES = {"min": "costs: value over proved bound", "max": "rewards: proved bound over value"}

#: What to do about a task by its status; one that is done is listed when it was rejected.
REMEDIES = {
    "failed": "Mend what the reason names, then farkas sweep FILE --retry.",
    "overlong": "Raise timeout in the sweep's file, then farkas sweep FILE --retry.",
    "crashed": "farkas sweep FILE tries it again by itself.",
    "done": "Its proof was rejected: the store is not as it was written. Sweep into a new store.",
}


def render(contents: Contents) -> str:
    """Page of a report as HTML; it loads nothing and names no address."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    environment.filters |= {
        "at_most": at_most,
        "between": interval_words,
        "breakable": breakable,
        "number": number,
        "outcome": outcome,
        "remedy": REMEDIES.__getitem__,
    }
    return environment.get_template("page.html").render(
        report=contents,
        version=farkas.__version__,
        spreads=_spreads(contents),
        style=_asset("page.css"),
        script=_asset("page.js"),
        proofs=Markup(proof_section(_certificates(contents))),
    )


def outcome(promise: Promise) -> str:
    """Say what became of a theorem on the runs of an algorithm, the worst first.

    >>> outcome(Promise(reading="printed", source="", statement="", kept=3, undecided=1))
    'undecided in 1 of 4'
    """
    runs = promise.kept + promise.undecided + promise.broken + promise.not_applicable
    for word, count in (
        ("broken", promise.broken),
        ("undecided", promise.undecided),
        ("kept", promise.kept),
    ):
        if count:
            return f"{word} in {count} of {runs}"
    return "not applicable"


def breakable(name: str) -> Markup:
    """Name that a narrow screen may break where its parts meet.

    >>> breakable("coded.round_lp")
    Markup('coded.<wbr>round_<wbr>lp')
    """
    return Markup(re.sub(r"([._\[,])(?=\S)", r"\1<wbr>", str(escape(cleaned(name)))))


def _visible(value: object) -> object:
    """Words of a store or file without marks that a reader cannot see; markup is ours."""
    return cleaned(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> Markup:
    folder = resources.files(__package__) / "templates"
    return Markup((folder / name).read_text(encoding="utf-8"))


def _spreads(contents: Contents) -> list[dict[str, Any]]:
    """One chart per kind and sense: ratios of different kinds have no common axis."""

    def group(item: Ratios) -> tuple[str, str]:
        return item.name.partition(".")[0], item.sense

    certified = sorted((item for item in contents.ratios if item.values), key=group)
    drawn = []
    for (kind, sense), items in itertools.groupby(certified, key=group):
        title = f"{kind}, {KIND_TITLES[sense]}"
        chart = spread(list(items), f"spread-{kind}-{sense}", title)
        drawn.append({"title": title, "chart": chart})
    return drawn


def _certificates(contents: Contents) -> list[tuple[str, str]]:
    """Bounds of the worst runs that can stand alone, and their instances, while they are short."""
    files: dict[str, str] = {}
    for place, (run, data) in enumerate(contents.runs, start=1):
        instance = to_bytes(data).decode()
        if len(instance) > MOST_EMBEDDED or data.public is False:
            continue  # a page is mailed, and a program tells all of its instance
        try:
            bound = stand_alone(run, data).content.decode()
        except FarkasError:  # no linear program says it, or the run is not worth what it says
            continue
        found = {
            f"instance-{data.sha256[:8]}.json": instance,
            f"bound-{place}-{cleaned(run.algorithm)}.json": bound,
        }
        if sum(map(len, {**files, **found}.values())) <= MOST_EMBEDDED:
            files |= found
    return [*files.items()]
