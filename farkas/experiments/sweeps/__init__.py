"""Sweeps: many certified runs, resumable at any moment, on one machine or many.

Their results are summed up as certified ratios, held against what the theorems guarantee, and
proved again on demand.  What a kind adds, its guarantees, stands in `guarantees`.
"""

from farkas.experiments.sweeps.config import Config, read_config
from farkas.experiments.sweeps.ratios import Ratios, ratios
from farkas.experiments.sweeps.store import Store
from farkas.experiments.sweeps.sweep import Summary, prove_again, rechecked, sweep
from farkas.experiments.sweeps.task import Result, Task, plan

__all__ = [
    "Config",
    "Ratios",
    "Result",
    "Store",
    "Summary",
    "Task",
    "plan",
    "prove_again",
    "ratios",
    "read_config",
    "rechecked",
    "sweep",
]
