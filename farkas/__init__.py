"""Certified online resource allocation for distributed machine-learning jobs.

Importing this package is cheap: Pyomo, CVXPY, SymPy and Matplotlib load only when something needs
them.
"""

__version__ = "0.1.0"
