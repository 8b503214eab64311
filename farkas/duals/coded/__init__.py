"""Duals of kind coded: prices of masters, and the multiplier of one master's rows."""
