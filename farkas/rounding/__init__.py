"""Rounding: pure array functions with an explicit generator."""

from farkas.rounding.dependent import round_keeping_weight, trade_once
from farkas.rounding.snap import snap, snap_workers
from farkas.rounding.workers import (
    add_missing_workers,
    draw_servers,
    round_jobs,
    round_sites,
    round_workers,
)

__all__ = [
    "add_missing_workers",
    "draw_servers",
    "round_jobs",
    "round_keeping_weight",
    "round_sites",
    "round_workers",
    "snap",
    "snap_workers",
    "trade_once",
]
