"""``farkas sweep``."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from typer import Argument, Option

from farkas.cli.options import Json, Scheduler
from farkas.cli.printing import complain, end, print_json, print_line
from farkas.cli.tables import print_table, progress, promised_ratio
from farkas.cli.values import check_writable
from farkas.errors import Exit, InvalidOption
from farkas.messages import named, number_of

if TYPE_CHECKING:
    from farkas.experiments.sweeps import Ratios


def command(
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="TOML file that says what to run; of --ratios and --report its store (.sqlite).",
        ),
    ],
    workers: Annotated[
        int | None, Option(help="Child processes on this machine; default: processors.")
    ] = None,
    scheduler: Scheduler = "",
    retry: Annotated[
        bool, Option("--retry", help="Try failed and overlong tasks again, too.")
    ] = False,
    ratios: Annotated[bool, Option("--ratios", help="Sum up a store.")] = False,
    report: Annotated[
        str | None, Option(metavar="OUT.html", help="Write a page about a store.")
    ] = None,
    title: Annotated[
        str, Option(help="Of --report: head of the page; default: the store's name.")
    ] = "",
    trust: Annotated[
        bool, Option("--trust", help="Prove no result of the store again: take its word.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Perform every task of a sweep that its store does not hold yet; or sum up a store.

    A sweep is a .toml file with a line name = "small", then tables [[instances]] (kind, preset,
    seeds = "0..4", settings) and [[algorithms]] (name, options); the store is FILE.sqlite.

    Stopping at any moment, even with kill -9, loses at most the tasks under way; the same command
    goes on where it stopped.  A task that fails, crashes or takes too long is recorded as such; one
    that crashed is tried again by the next sweep.  Sweeps at the same time share the tasks of their
    store.  Exit code 1 when a task is not done in the end.

    --ratios prints the certified ratios of a store and holds the theorems against them.  Only
    ratios with a proved bound count.  The interval is a 95 % bootstrap interval of the mean,
    resampling instances.  A theorem is kept where the certified ratio is within its factor, broken
    where a solution exists that is better than its factor allows, and undecided in between.  Of a
    task that has several results the newest counts.

    --report writes ratios, runs and versions as one page, which loads nothing.

    Every result of a store is proved again first: bounds from their certificates, values from
    decisions.  With --trust they are the store's word, as is said.  Exit code 1 when less is proved
    than is stored; the page leaves such results out.
    """
    if ratios and report is not None:
        raise InvalidOption("--ratios prints and --report writes a page; give one of them")
    if report is not None:
        _report(file, report, title, trust, as_json)
    elif ratios:
        _ratios(file, trust, as_json)
    else:
        _sweep(
            file, as_json, workers=workers, scheduler=scheduler, retry=retry,
        )  # fmt: skip


def _sweep(config: str, as_json: bool, **options: Any) -> None:
    from farkas.experiments.sweeps import sweep

    with progress("sweep") as bar:
        found = sweep(config, **options, report=lambda done, total, newest: bar(done, total))
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        rows: list[tuple[str, Any]] = [("tasks", found.tasks), ("present", found.present)]
        rows += [("performed by other sweeps", found.shared)] if found.shared else []
        rows += sorted(found.performed.items())
        before = {k: n - found.performed.get(k, 0) for k, n in sorted(found.not_done.items())}
        rows += [(f"{status} before", count) for status, count in before.items() if count > 0]
        rows.append(("store", found.store))
        print_table(f"sweep {named(found.name)}" if found.name else "sweep", ["", ""], rows)
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted; the same command goes on from here")
    if found.not_done:
        raise typer.Exit(Exit.NEGATIVE)


def _ratios(store: str, trust: bool, as_json: bool) -> None:
    from farkas.api.check_run import HALF_PROVED
    from farkas.experiments.sweeps import Store, ratios, rechecked

    with Store(store, readonly=True) as opened:
        said = rechecked(opened, prove=not trust)
        found = ratios(opened, said=said)
    counts = collections.Counter(said.values())
    proved, half = counts["proved again"], counts[HALF_PROVED]
    tried, believed = (0, len(said)) if trust else (len(said), 0)
    rejected = {key: words for key, words in said.items() if words.startswith("rejected")}
    if as_json:
        print_json(dict(
            ratios=[item.to_builtins() for item in found], proved_again=proved, rechecked=tried,
            the_word_of_the_store=believed, rejected=rejected,
        ))  # fmt: skip
    else:
        _print_ratios(found, believed + half)
        if tried:
            print_line(f"proved again: {proved} of {tried}")
        if half:
            print_line(f"bound proved again, value the store's word: {half}")
        if believed:
            print_line(f"the store's word, not proved: {believed} (without --trust all are)")
    _refuse(rejected)


def _refuse(rejected: dict[str, str]) -> None:
    """Say which results prove less than is stored, and end with 1 if there are any."""
    for key, words in rejected.items():
        complain(f"result {named(key[:12])}: {words}")
    if rejected:
        raise typer.Exit(Exit.NEGATIVE)


def _print_ratios(found: list[Ratios], believed: int) -> None:
    from farkas.experiments.sweeps.ratios import interval_words

    columns = ["algorithm", "certified", "tasks", "mean", "95 % interval",
               "median", "worst", "worst instance"]  # fmt: skip
    rows = [
        (
            item.label, len(item.values), item.tasks, promised_ratio(item.mean),
            interval_words(item.interval) if item.interval else None,
            promised_ratio(item.quantiles.get("50")), promised_ratio(item.quantiles.get("100")),
            named(item.worst.name) if item.worst else None,
        )
        for item in found
    ]  # fmt: skip
    title = "ratios, some by the store's word" if believed else "certified ratios"
    print_table(title, columns, rows, spare=["95 % interval", "median", "tasks"])
    random = [(item.label, e) for item in found if (e := item.expectation) is not None]
    if random:
        print_table(
            "expected values over seeds, on the instance of the largest ratio",
            ["algorithm", "instance", "seeds", "mean", "95 % interval", "ratio", "at most"],
            [
                (label, e.instance[:12], e.seeds, e.mean, f"{e.low:.6g} to {e.high:.6g}",
                 promised_ratio(e.ratio), promised_ratio(e.most))
                for label, e in random
            ],
        )  # fmt: skip
    for item in found:
        if item.among:
            print_line(f"{item.label}: to bounds on {item.among}")
    promised = [
        (
            item.label,
            f"{p.reading}, expected" if p.expected else p.reading,
            *(p.source, p.smallest, p.largest, p.kept, p.undecided, p.broken, p.not_applicable),
        )
        for item in found
        for p in item.promises
    ]
    if promised:
        columns = ["algorithm", "reading", "source", "least factor", "largest factor", "kept",
                   "undecided", "broken", "not applicable"]  # fmt: skip
        print_table(
            "theorems, if the decisions are the algorithms' own", columns, promised,
            spare=["least factor", "largest factor", "reading", "not applicable"],
        )  # fmt: skip


def _report(store: str, out: str, title: str, trust: bool, as_json: bool) -> None:
    from farkas.experiments.sweeps import Store
    from farkas.files.writing import write_text

    check_writable(out, reads=[store])
    with Store(store, readonly=True):  # what is no store is told before a package that is missing
        pass
    from farkas.experiments.report import collect, render

    with Store(store, readonly=True) as opened:
        contents = collect(opened, title=title, prove=not trust)
    write_text(out, render(contents))
    believed = contents.rechecks.get("the store's word", 0)
    proved, wrong = contents.rechecks.get("proved again", 0), contents.objections
    if as_json:
        print_json(dict(
            report=out, tasks=contents.tasks, certified=contents.certified, proved_again=proved,
            the_word_of_the_store=believed, rejected=wrong,
        ))  # fmt: skip
    else:
        certified = number_of(contents.certified, "certified ratios")
        of = number_of(contents.tasks, "tasks")
        print_line(f"{out}: {certified} of {of}; proved again: {proved}")
        if believed:
            print_line(f"the store's word, not proved: {believed} (without --trust all are)")
    _refuse(wrong)
