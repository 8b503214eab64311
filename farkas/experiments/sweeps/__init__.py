"""Sweeps: many certified runs, resumable at any moment, on one machine or many."""

from farkas.experiments.sweeps.config import Config, read_config
from farkas.experiments.sweeps.store import Result, Store
from farkas.experiments.sweeps.sweep import Summary, sweep
from farkas.experiments.sweeps.task import Task, plan

__all__ = ["Config", "Result", "Store", "Summary", "Task", "plan", "read_config", "sweep"]
