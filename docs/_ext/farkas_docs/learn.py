"""Contents of the part for learners: every page that the front page does not list itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from farkas.instances.files import own_kinds

DOCS = Path(__file__).resolve().parents[2]
FIRST = ("getting_started", "tutorials/index", "concepts")


def pages() -> Iterator[tuple[str, str]]:
    """``listings/learn``."""
    names = "\n".join(learned(DOCS))
    yield (
        "listings/learn",
        f"```{{toctree}}\n:maxdepth: 1\n:caption: Learn\n:hidden:\n\n{names}\n```\n",
    )


def learned(docs: Path) -> list[str]:
    """Pages that the contents of the front page leave out and no paper has, known ones first."""
    listed = set(re.findall(r"^([\w/]+)$", (docs / "index.md").read_text(), re.MULTILINE))
    there = {path.stem for path in docs.glob("*.md")} - {"index", *own_kinds()}
    there |= {"tutorials/index"} if (docs / "tutorials" / "index.md").exists() else set()
    left = there - listed
    return [*(name for name in FIRST if name in left), *sorted(left - set(FIRST))]
