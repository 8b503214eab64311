"""Relaxations: programs or maps from form to form."""

from farkas.relaxations.integrality import relax

__all__ = ["relax"]
