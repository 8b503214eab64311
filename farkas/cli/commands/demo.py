"""``farkas demo``."""

from __future__ import annotations

import dataclasses

from farkas.cli.options import Json
from farkas.cli.printing import print_json, print_text
from farkas.cli.tables import (
    folded,
    print_table,
    progress,
    promised,
    promised_ratio,
    room,
    seconds,
)

WIDEST = 100  #: Characters of a line of prose.


def command(as_json: Json = False) -> None:
    """Show a certified online run and an offline solve of every kind, on shipped instances.

    The ratio is value over proved bound for costs, proved bound over value for rewards: however
    good the unknown optimum is, the value is within that factor.
    """
    from farkas.experiments.demo import demo, proved

    with progress("demo") as report:
        lines = demo(report)
    if as_json:
        print_json({"demo": [dataclasses.asdict(line) for line in lines]})
        return
    columns = ["instance", "algorithm or program", "value", "proved bound", "certified ratio",
               "what", "wall seconds"]  # fmt: skip
    rows = [
        (
            line.instance, line.what, promised(line.value, up=line.sense == "min", digits=6),
            promised(line.bound, up=line.sense == "max", digits=6),
            promised_ratio(line.ratio), line.measure, seconds(line.seconds),
        )
        for line in lines
    ]  # fmt: skip
    print_table("farkas demo", columns, rows, spare=["wall seconds"])
    print_text("\n" + folded(proved(lines), min(room(), WIDEST)))
