"""Relaxations of ring scheduling: of one slot, and of the whole horizon."""
