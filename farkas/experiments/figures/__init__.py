"""Figures and tables of the papers, recomputed.

A figure is a function that returns plain data; how it looks is decided once, elsewhere::

    MLBROKER = Paper("mlbroker", "mlBroker")

    @measurement                                         # made once, kept while code is the same
    def ratio(seed, settings):
        return MLBROKER.run("fractional", MLBROKER.draw(seed, **settings)).ratio

    @MLBROKER.figure(5, "Ratio of the fractional algorithm", Agreement.TREND,
                     "prices are drawn, not read")
    def fractional_ratio(preset, seed):
        '''Cost of the fractional algorithm over the relaxed optimum, for growing R.'''
        sites = [5, 10, 15, 20, 25] if preset.full else [3, 5]
        lines = mean_lines(                              # with 95 % intervals
            sites, preset.seeds(seed),
            lambda r, one: {"ε = 0.1": ratio(one, {"num_sites": r})},
        )
        return Figure(
            x=PlotAxis("data centres"), y=PlotAxis("certified ratio"),
            series=lines,
            published=[PaperValue("at most 1.25 (Fig. 5)", y=1.25)],
            findings=[Statement("stays below 1.25", max(lines[0].y) < 1.25, about="value")],
        )

The agreement says what the full preset shows, and the reason why it need not be the print, without
numbers: they stand in findings, which are computed, and in captions, which hold nothing else.  One
module or package a kind, found by its name.
"""

from farkas.experiments.figures.exhibit import (
    PRESETS,
    Agreement,
    Exhibit,
    Figure,
    Paper,
    PaperValue,
    PlotAxis,
    Preset,
    Series,
    Statement,
    Table,
    agreement,
    figures,
    find,
    of_kind,
)

__all__ = [
    "PRESETS",
    "Agreement",
    "Exhibit",
    "Figure",
    "Paper",
    "PaperValue",
    "PlotAxis",
    "Preset",
    "Series",
    "Statement",
    "Table",
    "agreement",
    "figures",
    "find",
    "of_kind",
]
