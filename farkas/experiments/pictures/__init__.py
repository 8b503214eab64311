"""Decisions as people see them, with one style and one Gantt chart.

A kind brings what its decisions look like, in ``farkas/experiments/pictures/<kind>.py``::

    @layouts.register("dps")
    def occupancy(instance, decided):
        '''Units that jobs hold on servers over time.'''
        return Layout(...)
"""

from farkas.experiments.pictures.gantt import BothSides, Held, Layout, Schedule, layouts

__all__ = ["BothSides", "Held", "Layout", "Schedule", "layouts"]
