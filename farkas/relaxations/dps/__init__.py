"""Relaxations of kind dps."""
