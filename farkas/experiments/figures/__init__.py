"""Figures and tables of the papers, recomputed.

A figure is a function that returns plain data; how it looks is decided once, elsewhere::

    MLBROKER = Paper("mlbroker", "mlBroker")

    @MLBROKER.figure(5, "Ratio of the fractional algorithm", Agreement.TREND,
                     "flat in R as printed; prices are drawn, not read")
    def fractional_ratio(preset, seed, progress):
        '''Cost of the fractional algorithm over the relaxed optimum, for growing R.'''
        sites = [3, 5] if preset == "reduced" else [5, 10, 15, 20, 25]
        ratios = [...]                                   # call progress(done, total) now and then
        return Figure(
            x=PlotAxis("data centres"), y=PlotAxis("certified ratio"),
            series=[Series("ε = 0.1", x=sites, y=ratios)],
            published=[Printed("at most 1.25 (Fig. 5)", y=1.25)],
            findings=[Statement("stays below 1.25", max(ratios) < 1.25)],
        )

    @MLBROKER.table(4, ...)
    def parts_of_the_cost(preset, seed, progress):
        columns = [PlotAxis("algorithm"), PlotAxis("total", "USD")]
        return Table(columns=columns, rows=[...], published=[...])

    MLBROKER.not_modelled("figure6", "Accuracy", "needs training")

The agreement says what the full preset shows; the findings of the run at hand are computed from
its data, and the caption prints both.  One module or package a kind, found by its name.
"""

from farkas.experiments.figures.exhibit import (
    Agreement,
    Exhibit,
    Paper,
    Preset,
    Progress,
    figures,
    find,
    of_kind,
)
from farkas.experiments.figures.figure import Figure, PlotAxis, Printed, Series, Statement, Table

__all__ = [
    "Agreement",
    "Exhibit",
    "Figure",
    "Paper",
    "PlotAxis",
    "Preset",
    "Printed",
    "Progress",
    "Series",
    "Statement",
    "Table",
    "figures",
    "find",
    "of_kind",
]
