"""Duals: mechanical, printed, and closed-form points of runs."""
