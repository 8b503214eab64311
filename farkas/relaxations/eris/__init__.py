"""Relaxations of kind eris: payoff bounds, Lagrangian bounds, column generation."""
