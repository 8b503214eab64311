"""Relaxations of kind mlbroker."""
