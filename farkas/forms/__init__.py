"""Plain data of linear programs: the form, its names, its points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.forms.blocks import Axis, Block
from farkas.forms.form import LinearForm, Sense, SparseRows
from farkas.lazy import when_used

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


# points are judged in doubles by those who make them; who checks proofs does so exactly
__getattr__ = when_used(__name__, {"feasibility": "FeasibilityReport Violation check_point"})
