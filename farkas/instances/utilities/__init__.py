"""Utility functions of training progress, as records of instance files."""

from farkas.instances.utilities.functions import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
    Utility,
)

__all__ = ["LinearUtility", "Log1p", "QuadraticCost", "Sigmoid", "Sqrt", "TableUtility", "Utility"]
