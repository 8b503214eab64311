"""Plain data of linear programs: the form, its names, its points.

Points are judged in doubles by those who make them; who checks proofs does so exactly, and loads
nothing for it.
"""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "feasibility": "FeasibilityReport Violation check_point",
        "form": "Axis Block LinearForm Sense SparseRows",
    },
)
