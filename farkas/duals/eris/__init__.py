"""Duals of kind eris."""
