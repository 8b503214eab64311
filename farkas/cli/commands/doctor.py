"""``farkas doctor``."""

from __future__ import annotations

import dataclasses

import typer

from farkas.cli.output import Json
from farkas.cli.printing import print_json
from farkas.cli.tables import print_table
from farkas.errors import Exit


def command(as_json: Json = False) -> None:
    """Look whether everything is here that farkas can use, and say how to mend what is not.

    Python, packages and extras, solvers and their licences, the cache of compiled kernels, and one
    proof from end to end.  Nothing needs what is absent.  Exit code 1 when something is broken.
    """
    from farkas.cli.health import findings

    found = list(findings())
    if as_json:
        print_json({"findings": [dataclasses.asdict(one) for one in found]})
    else:
        rows = [(one.what, one.state, one.detail, one.remedy) for one in found]
        print_table("farkas doctor", ["what", "state", "found", "remedy"], rows)
    if any(one.state == "broken" for one in found):
        raise typer.Exit(Exit.NEGATIVE)
