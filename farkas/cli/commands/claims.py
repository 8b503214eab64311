"""``farkas claims``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import Json, print_json, print_table, progress
from farkas.errors import Exit


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="[KIND|ID]", help="One kind or one claim.")
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Check them now.")] = False,
    as_json: Json = False,
) -> None:
    """List the papers' claims; with --run, check them and say what became of each.

    proved: symbolically, for all values.  held: in so many runs, with the smallest slack.
    refuted: by a counterexample.  not applicable: an assumption is false.
    Exit code 1 when a single claim is checked and refuted.
    """
    from farkas.proofs.claim import Standing, Verdict, select

    chosen = select(name)
    verdicts: dict[str, Verdict] = {}
    if run:
        with progress("claims") as report:
            for done, item in enumerate(chosen):
                verdicts[item.name] = item.run()
                report(done + 1, len(chosen))
    if as_json:
        print_json({"claims": [_entry(item, verdicts.get(item.name)) for item in chosen]})
    else:
        columns = ["claim", "source", "verdict" if run else "statement"]
        last = [str(verdicts[i.name]) if run else " ".join(i.statement.split()) for i in chosen]
        rows = [(i.name, i.source, words) for i, words in zip(chosen, last, strict=True)]
        print_table(f"{len(chosen)} claims", columns, rows)
    single = run and len(chosen) == 1 and chosen[0].name == name
    if single and verdicts[chosen[0].name].standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _entry(item: object, verdict: object) -> dict[str, object]:
    from farkas.proofs.claim import Claim, Verdict

    assert isinstance(item, Claim)
    entry: dict[str, object] = {
        "claim": item.name,
        "source": item.source,
        "statement": item.statement,
    }
    if isinstance(verdict, Verdict):
        entry["verdict"] = verdict.to_builtins()
    return entry
