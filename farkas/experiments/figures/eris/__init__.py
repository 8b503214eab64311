"""Figures of Eris: the testbed, the simulator, and the runs that both show."""
