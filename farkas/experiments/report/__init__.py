"""A sweep as one page that needs no network."""

from farkas.experiments.report.contents import Contents, collect
from farkas.experiments.report.page import render

__all__ = ["Contents", "collect", "render"]
