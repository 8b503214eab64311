"""What rows and columns are called: read off their families when somebody asks."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import numpy as np

from farkas.errors import UnknownName
from farkas.forms.blocks import Block


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
