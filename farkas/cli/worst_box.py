"""What ``farkas worst --prove`` does and prints."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from farkas.cli import tables
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, promised
from farkas.cli.values import check_writable
from farkas.errors import Exit, InvalidOption
from farkas.words import named

if TYPE_CHECKING:
    from farkas.verbs.worst_box import BoxProof


def prove_box(
    algorithm: str,
    instance: str,
    *,
    settings: Mapping[str, str],
    ranges: Mapping[str, tuple[float, float]],
    time_limit: float | None,
    out: str | None,
    write: str | None,
    as_json: bool,
) -> None:
    """Prove the ratio of a box, print it, and write what was asked for.

    Parameters
    ----------
    settings
        Options of the algorithm and of its program, as they are typed.
    """
    from farkas.instances.writing import write as write_instance
    from farkas.online.driver import algorithms
    from farkas.verbs.save import save
    from farkas.verbs.worst_box import worst_box
    from farkas.verbs.worst_program import worst_program

    chosen = algorithms[algorithm]
    own = worst_program(chosen.name).options()
    variant = {key: word for key, word in settings.items() if key in own}
    options = chosen.settle(
        {key: word for key, word in settings.items() if key not in own}, strict=False
    )
    files = _files(write)
    check_writable(*files)
    found = worst_box(
        chosen, instance, ranges=ranges, variant=variant, time_limit=time_limit,
        progress=_progress if sys.stderr.isatty() else None, **options,
    )  # fmt: skip
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")  # what progress left on its line
    if out is not None and found.lower is not None:
        write_instance(found.lower.instance, out)
    if files:
        if found.lower is not None:
            found.lower.gap.write(files[0])
        if found.upper.certificate is not None:
            save(found.upper, files[1])
        write_instance(found.box, files[2])
    if as_json:
        print_json(found.to_builtins())
    else:
        _print(found)
    if found.upper.interrupted:
        complain("interrupted; this is what is proved so far")
        raise typer.Exit(Exit.INTERRUPTED)
    if found.at_most is None and found.closed is not None:
        complain("a limit came before the ratio was proved from above")
        raise typer.Exit(Exit.NO_ANSWER)


def _files(write: str | None) -> list[str]:
    """Files of the statement, the bound and the box."""
    if write is None:
        return []
    path = Path(write)
    if path.suffix != ".json":
        raise InvalidOption(f"{named(write)}: statements are .json files")
    return [write, *(str(path.with_suffix(f".{part}.json")) for part in ("bound", "box"))]


def _progress(nodes: int, bound: Fraction | None, value: Fraction | None) -> None:
    from farkas.certificates.proof import rounded

    shown = ["-" if x is None else rounded(x, up=False) for x in (bound, value)]
    sys.stderr.write(f"\r{nodes} nodes, bound {shown[0]}, value {shown[1]}   ")
    sys.stderr.flush()


def _print(found: BoxProof) -> None:
    low, high = found.words()
    rows: list[tuple[str, Any]] = [
        ("ratio, on some instance at least", low),
        ("ratio, on every instance at most", high),
        ("program", found.program.full_name),
        ("its optimum, at most", promised(found.upper.bound, up=True)),
        ("numbers that vary", ", ".join(found.program.varied)),
        ("rows, columns", f"{found.upper.form.num_rows}, {found.upper.form.num_columns}"),
        ("nodes", found.upper.nodes),
        ("CPU seconds", tables.seconds(found.seconds)),
    ]
    print_table(f"worst case of {named(found.program.algorithm)}", ["", ""], rows)
