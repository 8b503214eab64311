"""Rounding: pure array functions with an explicit generator."""
