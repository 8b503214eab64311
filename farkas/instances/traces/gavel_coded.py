"""Throughputs measured for Gavel as rates of workers: kind coded.

Masters are models, workers are GPUs of the measured types; the rate of a pair is proportional to
the steps per second of the model alone on one such GPU, and the shift is its inverse, as in the
paper's evaluation.  A pair without a measured throughput is forbidden.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.base import Count, Index, Positive
from farkas.instances.coded import CodedComputing, OpenShare
from farkas.instances.options import Settings
from farkas.instances.traces.result import Imported, importers

TYPES = ("k80", "p100", "v100")
Throughputs = dict[str, dict[str, float]]
"""Steps per second by GPU type and model."""


class ImportOptions(Settings, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    masters
        Models, drawn without replacement from those measured; kept in the file's order.
    k80, p100, v100
        Workers of each type, in this order.
    rows
        Rows of every master; L.
    rows_per_step
        Rows that a worker computes in the time of one training step.
    success_probability
        ρ.
    """

    masters: Count = 4
    k80: Index = 20
    p100: Index = 15
    v100: Index = 15
    rows: Count = 10_000
    rows_per_step: Positive = 1.0
    success_probability: OpenShare = 0.98


@importers.register("gavel:coded")
def import_gavel(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make an instance from a file of throughputs."""
    chosen = ImportOptions.given("import gavel to coded", options)
    measured = read_throughputs(path)
    names = [name for name in measured[TYPES[0]] if any(measured[kind].get(name) for kind in TYPES)]
    counts = [getattr(chosen, kind) for kind in TYPES]
    if not sum(counts):
        raise InvalidOption("import gavel to coded: give at least one worker (k80, p100, v100)")
    if chosen.masters > len(names):
        message = f"import gavel to coded: masters = {chosen.masters}; {len(names)} are measured"
        raise InvalidOption(message)
    drawn = np.random.default_rng(seed).choice(len(names), chosen.masters, replace=False)
    models = [names[i] for i in np.sort(drawn)]
    per_type = np.array([[measured[kind].get(name, 0.0) for kind in TYPES] for name in models])
    speed = chosen.rows_per_step * np.repeat(per_type, counts, axis=1)
    instance = CodedComputing.build(
        name=f"gavel-{seed}",
        seed=seed,
        description=_description(chosen, models, seed),
        time_unit="s",
        success_probability=chosen.success_probability,
        masters=[{"name": name, "rows": chosen.rows} for name in models],
        workers=speed.shape[1],
        rate=[[float(u) if u > 0 else None for u in row] for row in speed],
        shift=[[1.0 / float(u) if u > 0 else None for u in row] for row in speed],
    )
    left = Counter({"not drawn": len(names) - len(models)} if len(names) > len(models) else {})
    return Imported(instance, len(models), left)


def read_throughputs(path: str | os.PathLike[str]) -> Throughputs:
    """Read steps per second of every model that runs alone on one GPU.

    Raises
    ------
    FileProblem
        The file cannot be read, or holds something else.
    """
    try:
        data = msgspec.json.decode(Path(path).read_bytes())
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror or error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileProblem(f"{path}: is no JSON: {error}") from None
    found: Throughputs = {}
    for kind in TYPES:
        table = data.get(kind) if isinstance(data, dict) else None
        if not isinstance(table, dict):
            raise FileProblem(f"{path}: holds no table of throughputs for {kind}")
        found[kind] = {}
        for key, row in table.items():
            match = re.fullmatch(r"\('(.+)', 1\)", key)
            alone = row.get("null") if isinstance(row, dict) else None
            if match and isinstance(alone, int | float) and alone > 0:
                found[kind][match[1]] = float(alone)
    if not found[TYPES[0]]:
        raise FileProblem(f"{path}: holds no model that runs alone on one {TYPES[0]}")
    return found


def _description(options: ImportOptions, models: list[str], seed: int) -> str:
    return (
        f"Gavel throughputs; masters are {', '.join(models)}; workers are {options.k80} K80, "
        f"{options.p100} P100 and {options.v100} V100; rate = rows_per_step times steps per second "
        f"alone on one GPU, shift = 1/rate; seed {seed}; options {options.text()}"
    )
