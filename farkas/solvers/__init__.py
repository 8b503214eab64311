"""Solver backends: their answers are claims."""
