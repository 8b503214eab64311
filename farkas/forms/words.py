"""Rows and bounds as a reader would write them."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

import numpy as np

from farkas.errors import UnknownName
from farkas.forms.blocks import Block
from farkas.forms.form import LinearForm
from farkas.messages import number_of


def find_block(blocks: Sequence[Block], position: int) -> Block:
    """Block that holds the row or column ``position``."""
    at = bisect.bisect_right(blocks, position, key=lambda block: block.stop)
    if at == len(blocks) or not blocks[at].start <= position < blocks[at].stop:
        raise IndexError(f"no family holds position {position}")
    return blocks[at]


def index_in(block: Block, position: int) -> tuple[int, ...]:
    """Member of the index sets at row or column ``position`` (absolute)."""
    if not block.start <= position < block.stop:
        raise IndexError(f"{position} is outside {block.name} ({block.start}..{block.stop - 1})")
    flat = np.unravel_index(position - block.start, block.shape) if block.axes else ()
    return tuple(
        int(component)
        for axis, place in zip(block.axes, flat, strict=True)
        for component in axis.members[place]
    )


def short_name(block: Block, position: int) -> str:
    """``enough_workers[3,7,2]``."""
    index = index_in(block, position)
    return f"{block.name}[{','.join(map(str, index))}]" if index else block.name


def full_name(block: Block, position: int) -> str:
    """``enough_workers[job=3, slot=7, site=2]  (8a)``."""
    words = [label for axis in block.axes for label in axis.labels]
    parts = [f"{w}={i}" for w, i in zip(words, index_in(block, position), strict=True)]
    name = f"{block.name}[{', '.join(parts)}]" if parts else block.name
    return f"{name}  ({block.label})" if block.label else name


def name_among(blocks: Sequence[Block], position: int, role: str) -> str:
    """Name of a row or column; its number where families are not known."""
    if not blocks:
        return f"{role} {position}"
    return full_name(find_block(blocks, position), position)


def block_of(blocks: tuple[Block, ...], name: str, role: str) -> Block:
    """Family or variable ``name``; raises `UnknownName` when there is none, of that role."""
    for block in blocks:
        if block.name == name:
            return block
    raise UnknownName.of(role, name, [block.name for block in blocks])


def relation(form: LinearForm, i: int, *, most: int = 8) -> str:
    """Row ``i`` written out, for example ``moved[0,1] - 2 workers[0] <= 0``.

    Parameters
    ----------
    most
        Terms that are shown; the number of the others is said.
    """
    columns, values = form.matrix.row(i)
    pairs = list(zip(values.tolist(), columns.tolist(), strict=True))
    terms = [
        f"{_factor(value, first=place == 0)}{short(form, j)}"
        for place, (value, j) in enumerate(pairs[:most])
    ]
    if len(pairs) > most:
        terms.append(f"+ ... ({len(pairs) - most} more terms)")
    return _between(form.row_lower[i], " ".join(terms) or "0", form.row_upper[i])


def size_words(rows: int, columns: int, integers: int = 0) -> str:
    """Size of a program in words.

    >>> size_words(1, 2), size_words(0, 1, integers=1)
    ('1 row, 2 columns', '0 rows, 1 column (1 integer)')
    """
    whole = f" ({integers} integer)" if integers else ""
    return f"{number_of(rows, 'rows')}, {number_of(columns, 'columns')}{whole}"


def box(form: LinearForm, j: int, side: str) -> str:
    """One bound of column ``j``, for example ``workers[0] <= 3``; ``side`` is lower or upper."""
    value = (form.safe_lower if side == "lower" else form.safe_upper)[j]
    implied = "" if math.isfinite(getattr(form, side)[j]) else "  (implied)"
    return f"{short(form, j)} {'>=' if side == 'lower' else '<='} {value:g}{implied}"


def short(form: LinearForm, j: int) -> str:
    """Name of column ``j`` with bare indices."""
    return short_name(find_block(form.columns, j), j) if form.columns else f"x[{j}]"


def _factor(value: float, *, first: bool) -> str:
    sign = "- " if value < 0 else "" if first else "+ "
    return sign if abs(value) == 1 else f"{sign}{abs(value):g} "


def _between(low: float, body: str, high: float) -> str:
    if low == high:
        return f"{body} = {low:g}"
    if math.isinf(low) and math.isinf(high):
        return f"{body} free"
    if math.isinf(low):
        return f"{body} <= {high:g}"
    if math.isinf(high):
        return f"{body} >= {low:g}"
    return f"{low:g} <= {body} <= {high:g}"
