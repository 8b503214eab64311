"""Relaxations of kind mlbroker."""

from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.relaxations.mlbroker.sharp import Sharp

__all__ = ["Relaxed", "Sharp"]
