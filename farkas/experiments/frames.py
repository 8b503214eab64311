"""Rows as a frame of whichever library of frames is installed, else as a list of dictionaries."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from farkas.certificates.doubles import nearest

FRAMES = ("pandas", "polars")
"""Libraries of frames, the first that is installed is taken."""


def framed(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Rows as a frame of the first library of `FRAMES` that is there, else as they are."""
    for library in FRAMES:
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        return frames.DataFrame({name: [row[name] for row in rows] for name in columns})
    return [{name: row[name] for name in columns} for row in rows]


def of_point(point: Mapping[str, Fraction | float]) -> Any:
    """Names and values of variables as a frame; a value is the nearest double."""
    rows = [{"variable": name, "value": nearest(value)} for name, value in point.items()]
    return framed(rows, ("variable", "value"))
