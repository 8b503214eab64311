"""``farkas claims``."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from farkas.cli.completing import complete_claim
from farkas.cli.output import Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, progress
from farkas.cli.values import check_seconds, check_writable
from farkas.errors import Exit, FarkasError, InvalidOption

if TYPE_CHECKING:
    from farkas.proofs.claim import Claim, Verdict
    from farkas.verbs.attack import Assault


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND|ID]", help="One kind or one claim.", autocompletion=complete_claim
        ),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Check them now.")] = False,
    attack: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Search for what breaks a claim; CPU seconds."),
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="Instances that --attack tries, at most.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of --attack.")] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Write the instance that --attack finds (.json)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the papers' claims; with --run, check them and say what became of each.

    proved: symbolically, for all values.  held: in so many runs, with the smallest slack.
    refuted: by a counterexample.  not applicable: an assumption is false.
    Of a list, the first sentences are shown; a single claim is stated in full.

    Exit code 1 when a single claim is checked and refuted, or a check gives no verdict: its
    counterexample is none any more, or a step of a proof does not go through.  Standard error
    says why.

    --attack checks one claim and then searches for an instance that breaks it: from draws, without
    what ships, and made small.  A claim that holds stays held, attacked for so long.  With
    --evaluations the result depends on --seed alone.  Ctrl-C ends it.
    """
    from farkas.proofs.claim import Standing, select

    if attack is not None or evaluations is not None:
        _attack(name, attack, evaluations, seed or 0, out, as_json)
        return
    if seed is not None or out is not None:
        raise InvalidOption("--seed and --out are of --attack SECONDS or --evaluations N")
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
    elif name is not None and [item.name for item in chosen] == [name]:
        _one(chosen[0], verdicts.get(name))
    else:
        columns = ["claim", "source", "verdict" if run else "statement"]
        rows = [(i.name, i.source, _words(i, verdicts.get(i.name), run)) for i in chosen]
        title = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
        print_table(title, columns, rows, spare=["source"])
    if failed:
        raise typer.Exit(max(failed))
    single = run and len(chosen) == 1 and chosen[0].name == name
    if single and verdicts[chosen[0].name].standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _one(item: Claim, verdict: Verdict | None) -> None:
    """Print what became of one claim: both sides of what fails, and what recomputes them."""
    rows: list[tuple[str, object]] = [
        ("source", item.source),
        ("statement", " ".join(item.statement.split())),
    ]
    again = "checked by"
    if verdict is not None:
        again = "recomputed by"
        rows.append(("verdict", str(verdict)))
        for relation in verdict.fails:
            sides = relation.to_builtins()
            rows += [
                ("left side", sides["left"]),
                ("right side", sides["right"]),
                ("it says", f"left {relation.sign} right"),
            ]
        rows += [(name.replace("_", " "), number) for name, number in verdict.numbers.items()]
        if isinstance(verdict.counterexample, str):
            rows.append(("counterexample", f"farkas show {verdict.counterexample}"))
    rows.append((again, f"farkas claims {item.name} --run"))
    print_table(item.name, ["", ""], rows)


def _attack(
    name: str | None,
    seconds: float | None,
    evaluations: int | None,
    seed: int,
    out: str | None,
    as_json: bool,
) -> None:
    """Attack one claim, and end with code 1 where it is refuted."""
    from farkas.proofs.claim import Standing, claims
    from farkas.verbs.attack import attack, keep

    if name is None or claims.names(f"{name}."):
        raise InvalidOption("an attack needs one claim; farkas claims lists them")
    check_seconds(seconds, "--attack")
    check_writable(out)
    found = attack(
        claims[name], seconds=seconds, evaluations=evaluations, seed=seed, progress=_told()
    )
    if out is not None and found.instance is not None:
        keep(found, out)
    if as_json:
        print_json(found.to_builtins())
    else:
        _print(found)
    if out is not None and found.instance is None:
        complain(f"nothing is written: no instance breaks {name}")
    if found.outcome.interrupted:
        complain("interrupted; this is what was found")
        raise typer.Exit(Exit.INTERRUPTED)
    if found.verdict.standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _told() -> Callable[[int, float], None] | None:
    """Return what says on standard error that the slack has fallen; None without a terminal."""
    if not sys.stderr.isatty():
        return None

    def told(evaluations: int, slack: float) -> None:
        sys.stderr.write(f"{evaluations} instances: slack {slack:.3g}\n")
        sys.stderr.flush()

    return told


def _print(found: Assault) -> None:
    rows = [("verdict", str(found.verdict))]
    if found.found is None:
        rows.append(("broken", "no"))
    else:
        rows.append(("broken", ", ".join(map(str, found.found.said.broken))))
        if found.size is not None:
            rows.append(("parts", str(found.size)))
            rows.append(("made small", "yes" if found.outcome.is_shrunk else "not to the end"))
        else:
            rows.append(("by", str(found.found.data)))
    if found.shipped_size is not None:
        rows.append(("parts of the shipped one", str(found.shipped_size)))
    print_table(f"attack on {found.claim.name}", ["", ""], rows)


def _words(item: Claim, verdict: Verdict | None, run: bool) -> str:
    if run:
        return "" if verdict is None else str(verdict)
    from farkas.verbs.show import hint

    return hint("claims", item.name)


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
