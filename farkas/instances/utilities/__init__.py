"""Utility functions of training progress, as records of instance files."""

from farkas.instances.utilities.functions import (
    Linear,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    Table,
    Utility,
)

__all__ = ["Linear", "Log1p", "QuadraticCost", "Sigmoid", "Sqrt", "Table", "Utility"]
