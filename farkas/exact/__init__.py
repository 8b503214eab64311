"""Exact answers: vertices over the rationals, proofs for linear and integer programs."""
