"""Measured speeds of workers, one line a pair of master and worker: kind coded.

The columns are named by role: ``master``, ``worker``, ``rate`` (rows per unit of time that a worker
computes once it has begun, u), and, if the table has it, ``shift`` (time per row before which
nothing is returned, a; by default one over the rate).  Pairs that stand in no line are forbidden.
"""

import math
import os
from typing import Any, ClassVar

import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.base import Count
from farkas.instances.coded import OpenShare
from farkas.instances.options import by_name
from farkas.instances.traces.importer import Account, Importer, Path, importers, numbers, other_unit
from farkas.instances.traces.table import Line, check_roles, lines
from farkas.messages import named

REQUIRED = ("master", "worker", "rate")
ROLES = (*REQUIRED, "shift")


@importers.register("csv:coded")
class CsvCoded(Importer, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    map
        Column by role, see above.
    rows
        Rows of every master, or of each by name; L.
    time_unit
        Unit of the table's times.
    success_probability
        ρ.
    """

    counted: ClassVar[str] = "masters"

    map: dict[str, str] = {}
    rows: Count | dict[str, Count] = 10_000
    time_unit: str = "s"
    success_probability: OpenShare = 0.98

    def check(self, what: str) -> None:
        """Check the roles of columns."""
        check_roles(what, self.map, ROLES, *REQUIRED)

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make an instance from a table of pairs."""
        found: dict[tuple[str, str], tuple[float, float]] = {}
        for line in lines(path, list(self.map.values())):
            pair = line.filled(self.map["master"]), line.filled(self.map["worker"])
            if pair in found:
                raise FileProblem(f"{line.place}: this pair of master and worker stands twice")
            found[pair] = self._speed(line)
        if not found:
            raise FileProblem(f"{named(os.fspath(path))}: no line below the header")
        self._tell(list(found.values()), dropped)
        masters = list(dict.fromkeys(master for master, _ in found))
        for name in self.rows if isinstance(self.rows, dict) else ():
            if name not in masters:
                raise InvalidOption.near(f"rows: no master {named(name)}", name, masters)
        workers = list(dict.fromkeys(worker for _, worker in found))
        rows = [[found.get((m, n), (None, None)) for n in workers] for m in masters]
        return {
            "name": "csv",
            "description": (
                f"CSV table of {len(workers)} workers; pairs that stand in no line are forbidden"
                + ("" if "shift" in self.map else "; shift = 1/rate")
            ),
            "time_unit": self.time_unit,
            "success_probability": self.success_probability,
            "masters": [
                {"name": name, "rows": by_name(self.rows, name, "rows")} for name in masters
            ],
            "workers": len(workers),
            "rate": [[rate for rate, _ in row] for row in rows],
            "shift": [[shift for _, shift in row] for row in rows],
        }

    def _tell(self, speeds: list[tuple[float, float]], account: Account) -> None:
        """Say what was read in which unit, and which columns name another one."""
        account.told |= {
            "rates": numbers([rate for rate, _ in speeds], f"rows per {self.time_unit}"),
            "shifts": numbers([shift for _, shift in speeds], f"{self.time_unit} per row"),
        }
        for role in ("rate", "shift"):
            found = other_unit(self.map.get(role, ""), self.time_unit, "time_unit")
            account.warnings += [] if found is None else [found]

    def _speed(self, line: Line) -> tuple[float, float]:
        rate = line.positive(self.map["rate"])
        if "shift" in self.map:
            return rate, line.positive(self.map["shift"])
        if not math.isfinite(1.0 / rate):
            raise line.wrong(self.map["rate"], "a rate that has an inverse")
        return rate, 1.0 / rate
