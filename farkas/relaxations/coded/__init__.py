"""Relaxations of kind coded: the linear program, truncation, and convex steps."""
