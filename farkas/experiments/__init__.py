"""Figures, tables, named quantities, sweeps and reports."""
