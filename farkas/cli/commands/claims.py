"""``farkas claims``."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, progress
from farkas.errors import Exit, FarkasError

if TYPE_CHECKING:
    from farkas.proofs.claim import Claim, Verdict


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
    Exit code 1 when a single claim is checked and refuted, or a check gives no verdict: its
    counterexample is none any more, or a step of a proof does not go through.  Standard error
    says why.
    """
    from farkas.proofs.claim import Standing, select

    chosen = select(name)
    verdicts: dict[str, Verdict] = {}
    failed: list[Exit] = []
    if run:
        with progress("claims") as report:
            for done, item in enumerate(chosen):
                try:
                    verdicts[item.name] = item.run()
                except Exception as error:  # a check is code of its own and may raise anything
                    said = str(error) if isinstance(error, FarkasError) else _internal(error)
                    complain(f"claim {item.name}: {said}")
                    failed.append(getattr(error, "exit_code", Exit.INTERNAL_ERROR))
                report(done + 1, len(chosen))
    if as_json:
        print_json({"claims": [_entry(item, verdicts.get(item.name)) for item in chosen]})
    else:
        columns = ["claim", "source", "verdict" if run else "statement"]
        rows = [(i.name, i.source, _words(i, verdicts.get(i.name), run)) for i in chosen]
        print_table(f"{len(chosen)} claims", columns, rows)
    if failed:
        raise typer.Exit(max(failed))
    single = run and len(chosen) == 1 and chosen[0].name == name
    if single and verdicts[chosen[0].name].standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _words(item: Claim, verdict: Verdict | None, run: bool) -> str:
    if run:
        return "" if verdict is None else str(verdict)
    return " ".join(item.statement.split())


def _internal(error: Exception) -> str:
    if os.environ.get("FARKAS_DEBUG") == "1":
        traceback.print_exception(error)
    return f"its check failed: {type(error).__name__}: {error} (FARKAS_DEBUG=1 shows where)"


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
