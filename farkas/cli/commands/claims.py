"""``farkas claims``."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from farkas.cli.options import Json, Out, complete_claim
from farkas.cli.printing import complain, end, print_json, report
from farkas.cli.tables import print_table, progress, show, tell
from farkas.cli.values import check_writable
from farkas.errors import Exit, FarkasError, InvalidOption

if TYPE_CHECKING:
    from farkas.api.attack import Attack
    from farkas.proofs.claim import Claim
    from farkas.proofs.verdict import Verdict


def command(
    name: Annotated[
        str | None,
        Argument(metavar="[KIND|ID]", help="One kind or one claim.", autocompletion=complete_claim),
    ] = None,
    run: Annotated[bool, Option("--run", help="Check them now.")] = False,
    attack: Annotated[
        float | None,
        Option(metavar="SECONDS", help="Search for what breaks a claim; CPU seconds."),
    ] = None,
    evaluations: Annotated[
        int | None, Option(min=1, help="Instances that --attack tries, at most.")
    ] = None,
    seed: Annotated[int | None, Option(min=0, help="Seed of --attack.")] = None,
    out: Out = None,
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
    --evaluations the result depends on --seed alone.  Ctrl-C ends it.  -o keeps the instance.
    """
    from farkas.api.show import hint
    from farkas.proofs.claim import select
    from farkas.proofs.verdict import Standing

    if attack is not None or evaluations is not None:
        _attack(name, attack, evaluations, seed or 0, out, as_json)
        return
    if seed is not None or out is not None:
        raise InvalidOption("--seed and --out are of --attack SECONDS or --evaluations N")
    chosen = select(name)
    verdicts: dict[str, Verdict] = {}
    failed: dict[str, str] = {}
    code = Exit.DONE
    if run:
        with progress("claims") as report:
            for done, item in enumerate(chosen):
                if len(chosen) > 1 and not sys.stderr.isatty():
                    complain(f"claim {done + 1} of {len(chosen)}: {item.name}")
                try:
                    verdicts[item.name] = item.run()
                except Exception as error:  # a check is code of its own and may raise anything
                    said = str(error) if isinstance(error, FarkasError) else _internal(error)
                    complain(f"claim {item.name}: {said}")
                    failed[item.name] = f"not checked: {said}"
                    code = max(code, getattr(error, "exit_code", Exit.INTERNAL_ERROR))
                report(done + 1, len(chosen))
    single = [item.name for item in chosen] == [name]
    if as_json:
        entries: list[dict[str, object]] = []
        for item in chosen:
            of: dict[str, object] = dict(
                claim=item.name, source=item.source, statement=item.statement
            )  # fmt: skip
            if item.name in verdicts:
                of["verdict"] = verdicts[item.name].to_builtins()
            entries.append(of)
        print_json({"claims": entries})
    elif single:
        _one(chosen[0], verdicts.get(chosen[0].name), failed.get(chosen[0].name))
    else:
        columns = ["claim", "source", "verdict" if run else "statement"]
        words = failed | {i.name: hint("claims", i.name) for i in chosen if not run}
        words |= {name: str(verdict) for name, verdict in verdicts.items()}
        rows = [(i.name, i.source, words.get(i.name)) for i in chosen]
        title = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
        print_table(title, columns, rows, spare=["source"])
    if failed:
        raise typer.Exit(code)
    if run and single and verdicts[chosen[0].name].standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _one(item: Claim, verdict: Verdict | None, failed: str | None) -> None:
    """Print one claim in four lines: statement with its source, verdict, counterexample, excess."""
    said = f"{' '.join(item.statement.split())} ({item.source})"
    again = f"farkas claims {item.name} --run"
    rows: list[tuple[str, object]] = [("statement", said)]
    if verdict is None:
        rows.append(("verdict", failed or f"not asked for: {again}"))
    else:
        example = verdict.counterexample
        shown = f"farkas show {example}" if isinstance(example, str) else example
        numbers = [f"{name.replace('_', ' ')} {x:.6g}" for name, x in verdict.numbers.items()]
        sides = [one.to_builtins() | {"sign": one.sign} for one in verdict.fails]
        missed = [
            f"claimed {show(side['left'])} {side['sign']} {show(side['right'])}" for side in sides
        ]
        rows += [("verdict", str(verdict)), ("counterexample", shown and f"{shown}; {again}")]
        rows.append(("by how much", "; ".join([*missed, *numbers])))
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
    from farkas.api.attack import attack
    from farkas.api.limits import require_search_limit
    from farkas.instances import write
    from farkas.proofs.claim import claims
    from farkas.proofs.verdict import Standing

    if name is None or claims.names(f"{name}."):
        raise InvalidOption("an attack needs one claim; farkas claims lists them")
    require_search_limit(seconds, "--attack")
    check_writable(out)
    found = attack(
        claims[name], seconds=seconds, evaluations=evaluations, seed=seed,
        progress=lambda tried, slack: tell(f"{tried} instances: slack {slack:.3g}\n"),
    )  # fmt: skip
    if out is not None and found.instance is not None:
        write(found.instance.replace(name="counterexample"), out)
    report(found, as_json, _print)
    if out is not None and found.instance is None:
        complain(f"nothing is written: no instance breaks {name}")
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted; this is what was found")
    if found.verdict is not None and found.verdict.standing is Standing.REFUTED:
        raise typer.Exit(Exit.NEGATIVE)


def _print(found: Attack) -> None:
    rows = [("verdict", str(found.verdict))]
    if found.found is None:
        rows.append(("broken", "no"))
    else:
        rows.append(("broken", ", ".join(map(str, found.found.said.broken))))
        if found.instance is None:
            rows.append(("by", str(found.found.data)))
        rows.append(("made small", "yes" if found.is_shrunk else "not to the end"))
    print_table(f"attack on {found.claim.name}", ["", ""], rows)


def _internal(error: Exception) -> str:
    if os.environ.get("FARKAS_DEBUG") == "1":
        traceback.print_exception(error)
    return f"its check failed: {type(error).__name__}: {error} (FARKAS_DEBUG=1 shows where)"
