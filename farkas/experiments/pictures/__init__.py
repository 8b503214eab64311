"""Decisions and instances as people see them, with one style and one Gantt chart.

A kind brings what its decisions and its instances look like, in
``farkas/experiments/pictures/<kind>.py``::

    @layouts.register("dps")
    def occupancy(instance, decided):
        '''Units that jobs hold on servers over time.'''
        return Layout(...)

    @outlines.register("dps")
    def market(instance):
        '''Jobs by slot, and units of servers.'''
        return Outline(...)
"""

from farkas.experiments.pictures.gantt import BothSides, Held, Layout, Schedule, layouts
from farkas.experiments.pictures.outline import Bars, DrawnNetwork, Outline, outlines

__all__ = [
    "Bars",
    "BothSides",
    "DrawnNetwork",
    "Held",
    "Layout",
    "Outline",
    "Schedule",
    "layouts",
    "outlines",
]
