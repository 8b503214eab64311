"""Certified ratios of a sweep: distributions, worst instances, and what the theorems promise."""

from farkas.experiments.ratios.promises import Promise
from farkas.experiments.ratios.summarise import Ratios, Worst, ratios, write_worst

__all__ = ["Promise", "Ratios", "Worst", "ratios", "write_worst"]
