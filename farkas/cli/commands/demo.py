"""``farkas demo``."""

from __future__ import annotations

import dataclasses

from farkas.cli.output import Json
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table, progress, promised, promised_ratio


def command(as_json: Json = False) -> None:
    """Show a certified online run and an offline solve of every kind, on shipped instances.

    The ratio is value over proved bound for costs, proved bound over value for rewards: however
    good the unknown optimum is, the value is within that factor.
    """
    from farkas.experiments.demo import demo

    with progress("demo") as report:
        lines = demo(report)
    if as_json:
        print_json({"demo": [dataclasses.asdict(line) for line in lines]})
        return
    columns = ["instance", "algorithm or program", "value", "proved bound", "certified ratio",
               "seconds"]  # fmt: skip
    rows = [
        (
            line.instance, line.what, promised(line.value, up=line.sense == "min"),
            promised(line.bound, up=line.sense == "max"),
            promised_ratio(line.ratio), line.seconds,
        )
        for line in lines
    ]  # fmt: skip
    print_table("farkas demo", columns, rows)
