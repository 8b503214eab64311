"""Algorithms and baselines of kind coded: who works for whom, and with how many rows."""
