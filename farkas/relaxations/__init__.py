"""Relaxations: programs or maps from form to form."""
