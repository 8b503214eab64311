"""Code in sentences: its words are not divided, except for those wider than a telephone."""

from __future__ import annotations

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

MOST = 24
"""Letters of a word of code that stays on its line, with the comma behind it."""


class WholeWords(HTML5Translator):
    """Writer of pages that tells the style sheet which code has longer words."""

    def visit_literal(self, node: nodes.Element) -> None:
        """Mark code as long."""
        if max(map(len, node.astext().split()), default=0) > MOST:
            node["classes"].append("long")
        super().visit_literal(node)
