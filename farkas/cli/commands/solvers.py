"""``farkas solvers``."""

from __future__ import annotations

from farkas.cli.output import Json, print_line
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table


def command(as_json: Json = False) -> None:
    """List the solvers: installed, licensed, limited, what each can do, and how to get it.

    Those behind a bridge follow it, as the names that `--solver` takes.
    """
    from farkas.solvers import status

    lines = status(bridged=True)
    if as_json:
        solvers = [
            {
                "name": line.name,
                "standing": str(line.availability.standing),
                "detail": line.availability.detail,
                "most_rows": line.availability.most_rows,
                "most_columns": line.availability.most_columns,
                "version": line.version,
                "abilities": list(line.abilities),
            }
            for line in lines
        ]
        print_json({"solvers": solvers})
        return
    usable = [
        (s.name, str(s.availability.standing), s.version, ", ".join(s.abilities),
         s.availability.detail)
        for s in lines if s.availability
    ]  # fmt: skip
    columns = ["solver", "standing", "version", "abilities", "note"]
    print_table(f"{len(usable)} solvers to choose from", columns, usable, spare=["version"])
    rest = [
        (s.name, str(s.availability.standing), s.availability.detail)
        for s in lines
        if not s.availability
    ]
    if rest:
        print_line("")
        print_table(f"{len(rest)} more", ["solver", "standing", "how to get it"], rest)
