"""``farkas worst``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from farkas.cli import tables
from farkas.cli.options import Json, Out, Seed, Settings, complete_algorithm
from farkas.cli.printing import end, prints_aside, report
from farkas.cli.tables import ERASED, print_table, promised, tell, told_nodes
from farkas.cli.values import assignments, check_writable, measured
from farkas.errors import Exit, InvalidOption
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.api.worst import WorstCase
    from farkas.api.worst_box import BoxProof


def command(
    algorithm: Annotated[
        str,
        Argument(
            metavar="ALGORITHM", help="For example dps.simple.", autocompletion=complete_algorithm
        ),
    ] = "",
    settings: Settings = None,
    instance: Annotated[
        str | None, Option("--from", metavar="FILE", help="Search around this instance.")
    ] = None,
    preset: Annotated[str | None, Option(help="Preset of the generator.")] = None,
    size: Annotated[
        str | None, Option(metavar="WORD=N,...", help="Sizes, as jobs=3,slots=4.")
    ] = None,
    ranges: Annotated[
        list[str] | None,
        Option("--range", metavar="NAME=LOW..HIGH", help="Range of a field (repeatable)."),
    ] = None,
    fixed: Annotated[
        bool, Option("--fixed", help="Keep sizes: leave nothing out, double nothing.")
    ] = False,
    seconds: Annotated[float | None, Option(help="CPU seconds.", show_default="60")] = None,
    evaluations: Annotated[
        int | None, Option(min=1, help="Instances to score, whatever the time.")
    ] = None,
    seed: Seed = 0,
    out: Out = None,
    write: Annotated[
        str | None, Option(metavar="FILE", help="Write the statement (.json).")
    ] = None,
    prove: Annotated[
        bool, Option("--prove", help="Prove both sides of the ratio of all of --from.")
    ] = False,
    time_limit: Annotated[float | None, Option(help="Seconds of --prove, by the clock.")] = None,
    as_json: Json = False,
) -> None:
    """Search for an instance on which an algorithm is far from the optimum, and prove how far.

    Sizes are at most those of --size, or just those with --fixed; every number lies in its --range,
    by default between the smallest and the largest value of twenty draws.  What is found is made
    small.  Both sides, the algorithm's decisions and better ones, are replayed in exact arithmetic;
    --write keeps them for farkas check.  Ctrl-C keeps the best.

    With --evaluations the result depends on the seed alone.

    With --prove the worst ratio of all instances of a box is proved from both sides, for the few
    algorithms whose steps are a program; numbers vary between the ends of their family in --from.
    --write FILE.json then also writes FILE.bound.json, the bound: farkas check FILE --instance
    takes both about the instance of --from.  At --time-limit, or Ctrl-C, what is known of either
    side is kept.
    """
    if not algorithm:
        raise InvalidOption(
            "name an algorithm, for example dps.simple; farkas list algorithms lists them"
        )
    from farkas.api.limits import require_search_limit

    limits = {word: _range(word, text) for word, text in assignments(ranges, "--range").items()}
    given = assignments(settings, "--set")
    if prove:
        if seconds is not None:
            raise InvalidOption("--prove: give --time-limit, which is by the clock, not --seconds")
        searching = (preset, size, limits, fixed, evaluations, seed)
        if instance is None or any(searching):
            raise InvalidOption(
                "--prove: give --from, whose numbers are the ends of the box, and of the others"
                " only --set, --time-limit"
            )
        require_search_limit(time_limit, "--time-limit")
        _prove(algorithm, instance, given, time_limit, out, write, as_json)
        return
    if time_limit is not None:
        raise InvalidOption("--time-limit: is of --prove; a search takes --seconds of CPU time")
    require_search_limit(seconds, "--seconds")
    from farkas.api.worst import worst
    from farkas.instances import write as write_instance
    from farkas.online.policy import as_algorithm

    with prints_aside(as_json):
        chosen = as_algorithm(algorithm)
    options = chosen.settle(given, strict=False)
    words = assignments(None if size is None else size.split(","), "--size")
    sizes = {word: _count(word, text) for word, text in words.items()}
    _require_json(write)
    check_writable(out, write, reads=[algorithm, instance])
    try:
        with prints_aside(as_json):
            found = worst(
                chosen, instance, preset=preset, size=sizes, ranges=limits, fixed=fixed,
                seconds=seconds, evaluations=evaluations, seed=seed,
                progress=lambda tried, ratio: tell(f"{tried} instances: ratio {ratio:.6g}\n"),
                **options,
            )  # fmt: skip
    except KeyboardInterrupt as pressed:
        if not pressed.args:
            raise
        end(Exit.INTERRUPTED, str(pressed))
    if out is not None:
        write_instance(found.instance, out)
    if write is not None:
        found.gap.write(write)
    report(found, as_json, _print)
    if found.interrupted:
        end(Exit.INTERRUPTED, "interrupted; this is the best so far")


def _require_json(write: str | None) -> None:
    if write is not None and Path(write).suffix != ".json":
        raise InvalidOption(f"{named(write)}: statements are .json files")


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


def _print(found: WorstCase) -> None:
    value, up = found.proof.value, found.proof.sense == "max"
    rows = [
        ("ratio, at least", found.ratio_words),
        ("value", "infinite" if value is None else promised(value, up=up)),
        ("witness", promised(found.proof.witness, up=not up)),
        ("witness by", found.gap.witness.algorithm),
        ("proved bound", None if found.bound is None else promised(found.bound, up=up)),
        ("instances scored", found.evaluations),
        *([("of them raised", found.raised)] if found.raised else []),
        *([("of them broke requirements", found.broken)] if found.broken else []),
        ("made small", "yes" if found.is_shrunk else "not to the end"),
        ("CPU seconds", tables.seconds(found.seconds)),
    ]
    print_table(
        f"worst case of {named(found.gap.reached.algorithm)}{measured(found.proof.instance)}",
        ["", ""],
        rows,
    )


def _prove(
    algorithm: str,
    instance: str,
    settings: Mapping[str, str],
    time_limit: float | None,
    out: str | None,
    write: str | None,
    as_json: bool,
) -> None:
    """Prove the ratio of a box, print it, and write its statement and its bound."""
    from farkas.api.save import save
    from farkas.api.worst_box import worst_box
    from farkas.api.worst_program import worst_program
    from farkas.instances.writing import write as write_instance
    from farkas.online.policy import as_algorithm

    chosen = as_algorithm(algorithm)
    own = worst_program(chosen.name).options()
    variant = {key: word for key, word in settings.items() if key in own}
    options = chosen.settle({k: v for k, v in settings.items() if k not in own}, strict=False)
    _require_json(write)
    bound = str(Path(write or "gap").with_suffix(".bound.json"))
    check_writable(*([write, bound] if write else []), reads=[algorithm, instance])
    found = worst_box(
        chosen, instance, variant=variant, time_limit=time_limit, progress=told_nodes, **options
    )
    tell(ERASED)
    if out is not None and found.lower is not None:
        write_instance(found.lower.instance, out)
    if write is not None:
        if found.lower is not None:
            found.lower.gap.write(write)
        if found.upper.certificate is not None:
            save(found.upper, bound)
    report(found, as_json, _print_proof)
    if found.upper.interrupted:
        end(Exit.INTERRUPTED, "interrupted; this is what is proved so far")
    if found.at_most is None and found.closed is not None:
        end(Exit.NO_ANSWER, "a limit came before the ratio was proved from above")


def _print_proof(found: BoxProof) -> None:
    low, high = found.words()
    rows: list[tuple[str, Any]] = [
        ("ratio, on some instance at least", low),
        ("ratio, on every instance at most", high),
        *([("scope", scope)] if (scope := found.scope) else []),
        ("program", found.program.full_name),
        ("its optimum, at most", promised(found.upper.bound, up=True)),
        ("numbers that vary", ", ".join(found.program.varied)),
        ("rows, columns", f"{found.upper.form.num_rows}, {found.upper.form.num_columns}"),
        ("nodes", found.upper.nodes),
        ("CPU seconds", tables.seconds(found.seconds)),
    ]
    print_table(f"worst case of {named(found.program.algorithm)}", ["", ""], rows)
