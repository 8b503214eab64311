"""Formulas of pages and notebooks as MathML, so that the site loads no script for them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util import logging

from farkas_docs.mathml import mathml

_log = logging.getLogger(__name__)


def visit_inline(translator: Any, node: nodes.Element) -> None:
    """Write a formula that stands in a sentence."""
    translator.body.append(_drawn(node, inline=True))
    raise nodes.SkipNode


def visit_display(translator: Any, node: nodes.Element) -> None:
    """Write a formula that stands alone."""
    translator.body.append(f'<div class="rule">{_drawn(node, inline=False)}</div>\n')
    raise nodes.SkipNode


def _drawn(node: nodes.Element, *, inline: bool) -> str:
    try:
        return mathml(node.astext(), inline=inline)
    except ValueError as error:
        _log.warning("%s", error, location=node)
        return f"<code>{nodes.unescape(node.astext())}</code>"
