"""Ratios measured side by side in one process; absolute times are printed, never asserted."""
