"""Instances as people see them: jobs over time, what sites have, how they are joined.

A kind brings what its instances look like, in ``farkas/experiments/outlines/<kind>.py``::

    @outline("dps")
    def cluster(instance):
        '''Jobs by slot, and units of servers.'''
        return Outline(...)
"""

from farkas.experiments.outlines.outline import Bars, DrawnNetwork, Outline, outline, outlines

__all__ = ["Bars", "DrawnNetwork", "Outline", "outline", "outlines"]
