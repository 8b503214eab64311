"""Worst cases as people see them: shipped statements beside what theorems promise, and pictures.

A kind brings what its decisions look like, in ``farkas/experiments/worst_cases/<kind>.py``::

    @layout("dps")
    def occupancy(instance, decided):
        '''Units that jobs hold on servers over time.'''
        return Layout(...)
"""

from farkas.experiments.worst_cases.cases import Theorem, WorstKnown, case_of, cases_of
from farkas.experiments.worst_cases.overview import overview
from farkas.experiments.worst_cases.schedule import BothSides, pair_of

__all__ = ["BothSides", "Theorem", "WorstKnown", "case_of", "cases_of", "overview", "pair_of"]
