"""Figures and tables of mlBroker: ratios, costs, and the experiment on three clusters."""
