"""``farkas report``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import Json, print_line
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import progress
from farkas.cli.values import check_writable
from farkas.errors import Exit
from farkas.words import named


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="Results of a sweep (.sqlite).")],
    out: Annotated[str, typer.Option("-o", "--out", help="Page to write (.html).")] = "report.html",
    title: Annotated[str, typer.Option(help="Head of the page; default: the sweep's name.")] = "",
    claims: Annotated[
        bool, typer.Option("--claims", help="Check the papers' claims now (minutes).")
    ] = False,
    recheck: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the results to prove again now.")
    ] = 1.0,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the draw.", show_default="fresh"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a sweep's certified ratios, runs, claims and versions as one page.

    The page loads nothing from anywhere: it can be mailed, archived and opened offline.  Every
    result is proved again first, as by farkas ratios.  With a smaller share --recheck the page says
    how many others are the store's word.  Less than all is drawn with a fresh seed, which is
    printed: --seed draws the same again.  Exit code 1 when less is proved than is stored; the page
    leaves such results out.
    """
    from farkas.atomic import write_text
    from farkas.experiments.sweeps import Store

    check_writable(out)
    with Store(store, readonly=True):  # what is no store is told before a package that is missing
        pass
    from farkas.experiments.report import collect, render
    from farkas.messages import number_of

    with progress("claims") as bar, Store(store, readonly=True) as opened:
        contents = collect(
            opened,
            title=title,
            check_claims=claims,
            recheck=recheck,
            seed=seed,
            progress=bar if claims else None,
        )
    write_text(out, render(contents))
    believed = contents.rechecks.get("the store's word", 0)
    proved, wrong = contents.rechecks.get("proved again", 0), contents.objections
    if as_json:
        print_json(
            {
                "report": out,
                "tasks": contents.tasks,
                "certified": contents.certified,
                "proved_again": proved,
                "the_word_of_the_store": believed,
                "seed": contents.seed,
                "rejected": wrong,
            }
        )
    else:
        ratios = number_of(contents.certified, "certified ratios")
        ratios += f" of {number_of(contents.tasks, 'tasks')}"
        print_line(f"{out}: {ratios}; proved again: {proved}{contents.drawn}")
        if believed:
            print_line(f"the store's word, not proved: {believed} (--recheck 1 proves all)")
    for key, words in wrong.items():
        complain(f"result {named(key[:12])}: {words}")
    if wrong:
        raise typer.Exit(Exit.NEGATIVE)
