"""A sweep as one page that needs no network.

Importing it raises `MissingExtra` without Jinja, which writes the markup, or matplotlib.
"""

from farkas.extras import needed

needed("jinja2")
needed("matplotlib")

from farkas.experiments.report.page import Contents, collect, render  # noqa: E402

__all__ = ["Contents", "collect", "render"]
