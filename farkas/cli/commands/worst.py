"""``farkas worst``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli import tables
from farkas.cli.completing import complete_algorithm, complete_preset
from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, promised
from farkas.cli.values import Seed, Settings, assignments, check_seconds, check_writable, measured
from farkas.errors import Exit, InvalidOption
from farkas.words import named

if TYPE_CHECKING:
    from farkas.verbs.worst import WorstCase


def command(
    algorithm: Annotated[
        str | None,
        typer.Argument(
            metavar="ALGORITHM",
            help="Name, for example dps.simple.",
            autocompletion=complete_algorithm,
            show_default=False,
        ),
    ] = None,
    settings: Settings = None,
    instance: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="Search around this instance.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Preset of the generator.", autocompletion=complete_preset)
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="WORD=N,...", help="Sizes, as jobs=3,slots=4.")
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", metavar="NAME=LOW..HIGH", help="Range of a field (repeatable)."),
    ] = None,
    fixed: Annotated[
        bool, typer.Option("--fixed", help="Keep sizes: leave nothing out, double nothing.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="CPU seconds of all processes.", show_default="60")
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="Instances to score, whatever the time.")
    ] = None,
    seed: Seed = 0,
    workers: Annotated[
        int | None,
        typer.Option(help="Child processes on this machine; default: none, all is done here."),
    ] = None,
    scheduler: Annotated[
        str, typer.Option(help="Address of a dask scheduler to use instead.")
    ] = "",
    store: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep where the search stands, and go on.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Write the instance (.json).")
    ] = None,
    write: Annotated[
        str | None, typer.Option("--write", metavar="FILE", help="Write the statement (.json).")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Prove both sides of the ratio of all of --from.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds of --prove, by the clock.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search for an instance on which an algorithm is far from the optimum, and prove how far.

    Sizes are at most those of --size, or just those with --fixed; every number lies in its --range,
    by default between the smallest and the largest value of twenty draws.  What is found is made
    small.  Both sides, the algorithm's decisions and better ones, are replayed in exact arithmetic;
    --write keeps them for farkas check.  Ctrl-C keeps the best.

    With --evaluations the result depends on the seed alone, not on --workers, and --store lets the
    same command go on where it was ended, or with more --evaluations.

    With --prove the worst ratio of all instances of a box is proved from both sides, for the few
    algorithms whose steps are a program; --write FILE.json then also writes FILE.bound.json, the
    bound, and FILE.box.json, the instance whose box it is about: farkas check --instance
    FILE.box.json takes both.  At --time-limit, or Ctrl-C, what is known of either side is kept.
    """
    if algorithm is None:
        raise InvalidOption(
            "name an algorithm, for example dps.simple; farkas list algorithms lists them"
        )
    from farkas.online.driver import algorithms
    from farkas.verbs.worst import keep, worst

    limits = {word: _range(word, text) for word, text in assignments(ranges, "--range").items()}
    if prove:
        from farkas.cli.worst_box import prove_box

        if seconds is not None:
            raise InvalidOption("--prove: give --time-limit, which is by the clock, not --seconds")
        searching = (preset, size, fixed, evaluations, seed, workers, scheduler, store)
        if instance is None or any(searching):
            raise InvalidOption(
                "--prove: give --from, and of the others only --set, --range, --time-limit"
            )
        check_seconds(time_limit, "--time-limit")
        prove_box(
            algorithm, instance, settings=assignments(settings, "--set"), ranges=limits,
            time_limit=time_limit, out=out, write=write, as_json=as_json,
        )  # fmt: skip
        return
    if time_limit is not None:
        raise InvalidOption("--time-limit: is of --prove; a search takes --seconds of CPU time")
    check_seconds(seconds, "--seconds")
    chosen = algorithms[algorithm]
    options = chosen.settle(assignments(settings, "--set"), strict=False)
    sizes = {word: _count(word, text) for word, text in _sizes(size).items()}
    check_writable(out, write)
    try:
        found = worst(
            chosen, instance, preset=preset, size=sizes, ranges=limits, fixed=fixed,
            seconds=seconds, evaluations=evaluations, seed=seed, workers=workers,
            scheduler=scheduler, store=store, progress=_told(), settings=options,
        )  # fmt: skip
    except KeyboardInterrupt as pressed:
        if not pressed.args:
            raise
        complain(str(pressed))
        raise typer.Exit(Exit.INTERRUPTED) from None
    if out is not None:
        keep(found, out)
    if write is not None:
        found.gap.write(write)
    if as_json:
        print_json(found.to_builtins())
    else:
        _print(found)
    if found.interrupted:
        complain("interrupted; this is the best so far")
        raise typer.Exit(Exit.INTERRUPTED)


def _sizes(text: str | None) -> dict[str, str]:
    return assignments(None if text is None else text.split(","), "--size")


def _count(word: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise InvalidOption(f"--size {named(word)}={named(text)}: give a whole number")
    return int(text)


def _range(word: str, text: str) -> tuple[float, float]:
    low, dots, high = text.partition("..")
    given = f"--range {named(word)}={named(text)}"
    try:
        ends = float(low), float(high if dots else low)
    except ValueError:
        raise InvalidOption(f"{given}: write NAME=LOW..HIGH") from None
    if ends[0] > ends[1]:
        turned = f"{named(word)}={named(high.strip())}..{named(low.strip())}"
        raise InvalidOption(f"{given}: the low end is above the high one; write {turned}")
    return ends


def _told() -> Callable[[int, float], None] | None:
    """Return what says on standard error that the ratio has grown; None without a terminal."""
    if not sys.stderr.isatty():
        return None

    def told(evaluations: int, ratio: float) -> None:
        sys.stderr.write(f"{evaluations} instances: ratio {ratio:.6g}\n")
        sys.stderr.flush()

    return told


def _print(found: WorstCase) -> None:
    value, up = found.proof.value, found.proof.sense == "max"
    rows = [
        ("ratio, at least", found.ratio_words),
        ("value", "infinite" if value is None else promised(value, up=up)),
        ("witness", promised(found.proof.witness, up=not up)),
        ("witness by", found.gap.witness.algorithm),
        ("proved bound", None if found.bound is None else promised(found.bound, up=up)),
        ("instances scored", found.evaluations),
        ("made small", "yes" if found.is_shrunk else "not to the end"),
        ("CPU seconds", tables.seconds(found.seconds)),
    ]
    print_table(
        f"worst case of {named(found.gap.reached.algorithm)}{measured(found.proof.instance)}",
        ["", ""],
        rows,
    )
