"""Plain data of linear programs: the form, its names, its points."""

from farkas.forms.blocks import Axis, Block
from farkas.forms.feasibility import FeasibilityReport, Violation, check_point
from farkas.forms.form import LinearForm, Sense, SparseRows

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
