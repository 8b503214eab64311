"""Plain data of linear programs: the form, its names, its points."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from farkas.forms.blocks import Axis, Block
from farkas.forms.form import LinearForm, Sense, SparseRows

if TYPE_CHECKING:
    from farkas.forms.feasibility import FeasibilityReport, Violation, check_point

__all__ = [
    "Axis",
    "Block",
    "FeasibilityReport",
    "LinearForm",
    "Sense",
    "SparseRows",
    "Violation",
    "check_point",
]


def __getattr__(name: str) -> Any:
    # points are judged in doubles by those who make them; who checks proofs does so exactly
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("farkas.forms.feasibility"), name)
