"""What stands under a figure: how it compares with the paper, and what this run shows."""

from farkas.experiments.figures.exhibit import Exhibit
from farkas.experiments.figures.figure import Figure, Table


def caption(exhibit: Exhibit, data: Figure | Table, preset: str, seed: int) -> str:
    """Sentences below the figure, the agreement first.

    >>> from farkas.experiments.figures import Agreement, PlotAxis, Statement
    >>> exhibit = Exhibit(kind="k", label="figure1", title="Cost", source="Paper Fig. 1",
    ...                   agreement=Agreement.TREND, reason="prices are drawn")
    >>> falls = Statement("falls with load", True, "3.2 to 1.1")
    >>> data = Table(columns=[PlotAxis("load")], rows=[[1]], findings=[falls])
    >>> caption(exhibit, data, "reduced", 0)
    'Paper Fig. 1. Cost. Trend reproduced: prices are drawn. This run (reduced, seed 0): \
falls with load: yes (3.2 to 1.1).'
    """
    agreement = str(exhibit.agreement).capitalize()
    parts = [exhibit.source, exhibit.title, f"{agreement}: {exhibit.reason}"]
    found = "; ".join(map(str, data.findings))
    parts.append(f"This run ({preset}, seed {seed})" + (f": {found}" if found else ""))
    parts.append(data.caption[:1].upper() + data.caption[1:])
    sentences = (" ".join(part.split()).rstrip(".") for part in parts)
    return " ".join(f"{sentence}." for sentence in sentences if sentence)
