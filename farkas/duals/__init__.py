"""Duals: mechanical ones of any linear form, and what the papers print."""

from farkas.duals.dualize import DualForm, dualize

__all__ = ["DualForm", "dualize"]
