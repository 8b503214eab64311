"""What stands under a figure: how it compares with the paper, and what this run shows."""

from __future__ import annotations

from farkas.experiments.figures.figure import Figure, Table
from farkas.experiments.figures.registry import Entry


def caption(entry: Entry, data: Figure | Table, preset: str, seed: int) -> str:
    """Sentences below the figure, the standing first.

    >>> from farkas.experiments.figures import Axis, Finding, Standing
    >>> entry = Entry(kind="k", label="figure1", title="Cost", source="Paper Fig. 1",
    ...               standing=Standing.TREND, reason="prices are drawn")
    >>> falls = Finding("falls with load", True, "3.2 to 1.1")
    >>> data = Table(columns=[Axis("load")], rows=[[1]], findings=[falls])
    >>> caption(entry, data, "reduced", 0)
    'Paper Fig. 1. Cost. Trend reproduced: prices are drawn. This run (reduced, seed 0): \
falls with load: yes (3.2 to 1.1).'
    """
    parts = [entry.source, entry.title, f"{str(entry.standing).capitalize()}: {entry.reason}"]
    found = "; ".join(str(finding) for finding in data.findings)
    parts.append(f"This run ({preset}, seed {seed})" + (f": {found}" if found else ""))
    parts.append(data.caption[:1].upper() + data.caption[1:])
    sentences = (" ".join(part.split()).rstrip(".") for part in parts)
    return " ".join(f"{sentence}." for sentence in sentences if sentence)
