"""Guarantees of the papers' theorems as numbers, to be held against certified ratios.

A guarantee is a function of an instance and the options of a run, at most one per algorithm and
reading; one file a kind, found by the registry::

    @guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3")
    def as_printed(instance, options):
        '''2 + (1 + ε) ln(1 + 1/ε).'''
        return ...

    @guarantee("mlbroker.fractional", "repaired", source="docs/mlbroker.md, Theorem 3 repaired")
    def repaired(instance, options): ...       # None where an assumption is false
"""

from farkas.experiments.guarantees.registry import Guarantee, Reading, guarantee, guarantees, of

__all__ = ["Guarantee", "Reading", "guarantee", "guarantees", "of"]
