"""Throughputs measured for Gavel as rates of workers: kind coded.

Masters are models, workers are GPUs of the measured types; the rate of a pair is proportional to
the steps per second of the model alone on one such GPU, and the shift is its inverse, as in the
paper's evaluation.  A pair without a measured throughput is forbidden.
"""

import os
import re
from typing import Any, ClassVar

import msgspec
import numpy as np

from farkas.errors import FileProblem
from farkas.files import read_record
from farkas.instances.base import Count, Index, Positive
from farkas.instances.coded import OpenShare
from farkas.instances.options import by_name, require_option
from farkas.instances.traces.importer import Account, Importer, Path, importers, numbers
from farkas.messages import named

TYPES = ("k80", "p100", "v100")
Throughputs = dict[str, dict[str, float]]  #: Steps per second by GPU type and model.


@importers.register("gavel:coded")
class GavelCoded(Importer, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    masters
        Models, drawn without replacement from those measured; kept in the file's order.
    k80, p100, v100
        Workers of each type, in this order.
    rows
        Rows of every master, or of each by the name of its model; L.
    rows_per_step
        Rows that a worker computes in the time of one training step, of every model or of each by
        name.  Steps of models take from milliseconds to seconds, so that one number for all makes
        some masters thousands of times slower than others.
    success_probability
        ρ.
    """

    counted: ClassVar[str] = "masters"

    masters: Count = 4
    k80: Index = 20
    p100: Index = 15
    v100: Index = 15
    rows: Count | dict[str, Count] = 10_000
    rows_per_step: Positive | dict[str, Positive] = 1.0
    success_probability: OpenShare = 0.98

    def check(self, what: str) -> None:
        """Check that there is a worker."""
        require_option(
            any(self._counts()), f"{what}: give at least one worker ({', '.join(TYPES)})"
        )

    def _counts(self) -> list[int]:
        return [getattr(self, kind) for kind in TYPES]

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make an instance from a file of throughputs."""
        measured = read_throughputs(path)
        names = list(measured[TYPES[0]])
        require_option(
            self.masters <= len(names),
            f"import gavel to coded: masters = {self.masters}; {len(names)} are measured",
        )
        drawn = rng.choice(len(names), self.masters, replace=False)
        models = [names[i] for i in np.sort(drawn)]
        if len(models) < len(names):
            dropped["not drawn"] = len(names) - len(models)
        per_type = np.array([[measured[kind].get(name, 0.0) for kind in TYPES] for name in models])
        per_step = np.array(
            [[by_name(self.rows_per_step, name, "rows_per_step")] for name in models]
        )
        speed = per_step * np.repeat(per_type, self._counts(), axis=1)
        rates = [float(rate) for rate in speed.ravel() if rate > 0]
        if rates:
            dropped.told["rates"] = numbers(rates, "rows per s")
        return {
            "name": "gavel",
            "description": (
                f"Gavel throughputs; masters are {', '.join(models)}; workers are {self.k80} K80, "
                f"{self.p100} P100 and {self.v100} V100; rate = rows_per_step times steps per "
                "second alone on one GPU, shift = 1/rate"
            ),
            "time_unit": "s",
            "success_probability": self.success_probability,
            "masters": [
                {"name": name, "rows": by_name(self.rows, name, "rows")} for name in models
            ],
            "workers": speed.shape[1],
            "rate": [[u if u > 0 else None for u in row] for row in speed.tolist()],
            "shift": [[1.0 / u if u > 0 else None for u in row] for row in speed.tolist()],
        }


def read_throughputs(path: Path) -> Throughputs:
    """Read steps per second of every model that runs alone on one GPU.

    Raises `FileProblem`: the file cannot be read, or holds something else.
    """
    where = named(os.fspath(path))
    try:
        data = msgspec.json.decode(read_record(path))
    except (msgspec.DecodeError, ValueError) as error:
        raise FileProblem(f"{where}: is no JSON: {error}") from None
    found: Throughputs = {}
    for kind in TYPES:
        table = data.get(kind) if isinstance(data, dict) else None
        if not isinstance(table, dict):
            raise FileProblem(f"{where}: holds no table of throughputs for {kind}")
        found[kind] = {}
        for key, row in table.items():
            match = re.fullmatch(r"\('(.+)', 1\)", key)
            alone = row.get("null") if match and isinstance(row, dict) else None
            if match and isinstance(alone, int | float) and alone > 0:
                speed = _double(alone, f"{where}: {kind}, {named(match[1])}")
                found[kind][match[1]] = speed
    if not found[TYPES[0]]:
        raise FileProblem(f"{where}: holds no model that runs alone on one {TYPES[0]}")
    return found


def _double(rate: float, where: str) -> float:
    try:
        return float(rate)
    except OverflowError:  # JSON's integers have as many digits as they like
        raise FileProblem(f"{where}: the throughput is too large") from None
