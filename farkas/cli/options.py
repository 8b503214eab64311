"""Arguments and options that several commands share, and words that shells complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from typer import Argument, Option


def _names(role: str) -> Callable[[str], list[str]]:
    """Completion with the names of a role; a shell completes files where no name fits."""

    def complete(incomplete: str) -> list[str]:
        from farkas.api.show import catalogue
        from farkas.instances import kinds
        from farkas.solvers import backends

        known = {"kinds": kinds(), "solvers": list(backends), **catalogue()}[role]
        return [name for name in known if name.startswith(incomplete)]

    return complete


complete_kind, complete_solver = _names("kinds"), _names("solvers")
complete_instance, complete_claim = _names("instances"), _names("claims")
complete_algorithm, complete_program = _names("algorithms"), _names("programs")

Json = Annotated[bool, Option("--json", help="Print one JSON object and nothing else.")]
InstanceFile = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="Instance file (JSON), or a shipped instance.",
        autocompletion=complete_instance,
    ),
]
ModelFile = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="Instance (JSON or shipped) or model (.mps, .lp, packed; - is standard input).",
        autocompletion=complete_instance,
    ),
]
Program = Annotated[
    str | None,
    Option(
        "--program",
        "-p",
        help="Of an instance: mlbroker.relaxed[tight].",
        autocompletion=complete_program,
    ),
]
Solver = Annotated[
    str | None,
    Option(
        "--solver",
        "-s",
        help="See farkas show solvers.",
        show_default="highs; clarabel for convex programs",
        autocompletion=complete_solver,
    ),
]
Seed = Annotated[int, Option(min=0, help="Seed of every random draw.")]
Settings = Annotated[
    list[str] | None, Option("--set", metavar="KEY=VALUE", help="Set an option (repeatable).")
]
SlotSolver = Annotated[
    str | None,
    Option(
        "--solver",
        metavar="NAME",
        help="Who solves the programs of the slots; see farkas show solvers.",
        show_default="the fastest that is exact",
    ),
]
TimeLimit = Annotated[float | None, Option(help="Seconds.")]
BoundSeconds = Annotated[
    float | None, Option(help="Seconds for a search for the offline optimum and its proved bound.")
]
ReaderDiffers = Annotated[
    Literal["accept", "refuse"], Option(help="Accept or refuse a file that HiGHS reads otherwise.")
]
Point = Annotated[bool, Option("--point", help="Also print the point.")]
Workers = Annotated[
    int | None, Option(help="Child processes on this machine; default: none, all is done here.")
]
Scheduler = Annotated[str, Option(help="Address of a dask scheduler to use instead.")]
Out = Annotated[str | None, Option("--output", "--out", "-o", help="File to write.")]
Write = Annotated[
    list[str] | None, Option(metavar="FILE", help="Write a certificate or program (repeatable).")
]
