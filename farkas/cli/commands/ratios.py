"""``farkas ratios``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli.output import Json, print_line
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, promised_ratio
from farkas.errors import Exit
from farkas.messages import number_of
from farkas.words import named

if TYPE_CHECKING:
    from farkas.experiments.sweeps import Ratios

StoreFile = Annotated[str, typer.Argument(metavar="STORE", help="Results of a sweep (.sqlite).")]


def command(
    store: StoreFile,
    worst: Annotated[
        str | None, typer.Option(help="Folder for the worst instance of every algorithm.")
    ] = None,
    recheck: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the results to prove again now.")
    ] = 1.0,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the draw.", show_default="fresh"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Summarise the certified ratios of a sweep and hold the theorems against them.

    Only ratios with a proved bound count: the tightest that the store has of the instance.  The own
    mean is of ratios to what every run proved itself.  The interval is a 95 % bootstrap interval of
    the mean, resampling instances.  A theorem is kept where the certified ratio is within its
    factor, broken where a solution exists that is better than its factor allows, and undecided in
    between.
    Every result is proved again first: bounds from their certificates, values of runs from their
    decisions, values of solves from the points that their certificates hold.  With a smaller share
    --recheck the others are the store's word, as is said; that share is drawn with a fresh seed,
    which no store can know and which is printed: --seed draws the same again.  A task that has
    several results counts once.  Exit code 1 when less is proved than is stored.
    """
    from farkas.atomic import require_folder
    from farkas.experiments.sweeps import Rechecked, Store, ratios, settled_seed, write_worst

    seed, drawn = settled_seed(seed, recheck)
    if worst is not None:
        require_folder(worst)
    with Store(store, readonly=True) as opened:
        again = Rechecked.of(opened, recheck, seed)
        found = ratios(opened, objections=again.objections, among=again.among)
        files = write_worst(found, opened, worst) if worst is not None else []
    if as_json:
        items = [item.to_builtins() for item in found]
        worst_files = list(map(str, files))
        print_json(
            {
                "ratios": items,
                "worst": worst_files,
                "proved_again": again.proved,
                "rechecked": len(again.words),
                "the_word_of_the_store": again.believed,
                "seed": seed,
                "rejected": again.rejected,
            }
        )
    else:
        _print(found, again.believed + again.half)
        for path in files:
            print_line(f"worst instance: {named(str(path))}")
        if again.words:
            print_line(f"proved again: {again.proved} of {len(again.words)}{drawn}")
        if again.half:
            print_line(f"bound proved again, value the store's word: {again.half}")
        if again.believed:
            print_line(f"the store's word, not proved: {again.believed} (--recheck 1 proves all)")
    for key, words in again.rejected.items():
        complain(f"result {named(key[:12])}: {words}")
    if again.rejected:
        raise typer.Exit(Exit.NEGATIVE)


def _print(found: list[Ratios], believed: int) -> None:
    from farkas.experiments.sweeps import BEATEN, REPEATS
    from farkas.experiments.sweeps.ratios import interval_words

    columns = ["algorithm or program", "certified", "tasks", "mean", "own mean", "95 % interval",
               "median", "worst", "worst instance"]  # fmt: skip
    rows = [
        (
            item.label,
            len(item.values),
            item.tasks,
            promised_ratio(item.mean),
            promised_ratio(item.own_mean),
            interval_words(item.interval) if item.interval else None,
            promised_ratio(item.quantiles.get("50")),
            promised_ratio(item.quantiles.get("100")),
            named(item.worst.name) if item.worst else None,
        )
        for item in found
    ]
    title = "ratios, some by the store's word" if believed else "certified ratios"
    spare = ["own mean", "95 % interval", "median", "tasks"]
    print_table(title, columns, rows, spare=spare)
    repeats = sum(item.left_out.get(REPEATS, 0) for item in found)
    if repeats:
        print_line(f"left out, since they repeat a task: {repeats}")
    beaten = sum(item.left_out.get(BEATEN, 0) for item in found)
    if beaten:
        which = f"{number_of(beaten, 'results')} {'is' if beaten == 1 else 'are'}"
        complain(f"left out: {which} better than a bound of the store allows")
    promised = [
        (item.label, p.reading, p.source, p.smallest, p.largest, p.kept, p.undecided, p.broken,
         p.not_applicable)
        for item in found
        for p in item.promises
    ]  # fmt: skip
    if promised:
        columns = ["algorithm", "reading", "source", "least factor", "largest factor", "kept",
                   "undecided", "broken", "not applicable"]  # fmt: skip
        spare = ["least factor", "largest factor", "reading", "not applicable"]
        print_table(
            "theorems, if the decisions are the algorithms' own", columns, promised, spare=spare
        )
