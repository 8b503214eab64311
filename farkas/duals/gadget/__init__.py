"""Closed-form duals of ring scheduling."""
