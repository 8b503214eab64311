"""Figures and tables of the papers, recomputed.

A figure is a function that returns plain data; how it looks is decided once, elsewhere::

    @figure("mlbroker", 5, title="Ratio of the fractional algorithm", source="mlBroker Fig. 5",
            standing=Standing.TREND, reason="flat in R as printed; prices are drawn, not read")
    def fractional_ratio(preset, seed, progress):
        '''Cost of the fractional algorithm over the relaxed optimum, for growing R.'''
        sites = [3, 5] if preset == "reduced" else [5, 10, 15, 20, 25]
        ratios = [...]                                   # call progress(done, total) now and then
        return Figure(
            x=Axis("data centres"), y=Axis("certified ratio"),
            series=[Series("ε = 0.1", x=sites, y=ratios)],
            published=[Published("at most 1.25 (Fig. 5)", y=1.25)],
            findings=[Finding("stays below 1.25", max(ratios) < 1.25)],
        )

    @table("mlbroker", 4, title=..., source=..., standing=..., reason=...)
    def parts_of_the_cost(preset, seed, progress):
        return Table(columns=[Axis("algorithm"), Axis("total", "USD")], rows=[...], published=[...])

    not_modelled("eris", 6, title="Accuracy", source="Eris Fig. 6", reason="needs training")

``standing`` says what the full preset shows; the findings of the run at hand are computed from its
data, and the caption prints both.  One file a kind, found by the registry.
"""

from farkas.experiments.figures.figure import Axis, Figure, Finding, Published, Series, Table
from farkas.experiments.figures.registry import (
    Entry,
    Preset,
    Progress,
    Standing,
    figure,
    figures,
    find,
    not_modelled,
    table,
)

__all__ = [
    "Axis",
    "Entry",
    "Figure",
    "Finding",
    "Preset",
    "Progress",
    "Published",
    "Series",
    "Standing",
    "Table",
    "figure",
    "figures",
    "find",
    "not_modelled",
    "table",
]
