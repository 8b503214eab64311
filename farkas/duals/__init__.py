"""Duals: mechanical ones of any linear form, and what the papers print."""
