"""Pages that the code writes about itself, before Sphinx reads any page.

Each module below has ``pages() -> Iterator[tuple[str, str]]``: the path of a page below
``docs/generated`` without suffix, and its Markdown; or the path of a picture, and what draws it.
"""

from __future__ import annotations

import importlib
import re
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WRITERS = (
    "programs", "algorithms", "claims", "printed", "listings", "solvers", "command_line", "api",
    "names", "practice", "figures", "worst",
)  # fmt: skip

FOLDER = Path(__file__).resolve().parents[2] / "generated"

# A prompt inside a Python fence is a test: the doctest builder runs what the reader sees.
_PROMPT = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def write_pages(folder: Path = FOLDER) -> list[Path]:
    """Write all pages; a page that did not change keeps its time, so that builds stay quick."""
    written = []
    for name in WRITERS:
        for page, text in importlib.import_module(f"farkas_docs.{name}").pages():
            path = folder / (f"{page}.md" if isinstance(text, str) else page)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(text, str):  # named after its contents: what is there is right
                if not path.exists():
                    path.write_bytes(text())
            elif not path.exists() or path.read_text() != text:
                path.write_text(text)
            written.append(path)
    for old in {*folder.rglob("*.md"), *folder.rglob("*.svg")} - set(written):
        old.unlink()
    return written


def _before_reading(app: Sphinx) -> None:
    write_pages()


def _write_checker(app: Sphinx, problem: Exception | None) -> None:
    """Put the page that checks proofs beside the others, which link to it by its name."""
    if problem is None and app.builder.name == "html":
        from farkas.verbs.proof_page import proof_page

        (Path(app.outdir) / "check.html").write_text(proof_page(), encoding="utf-8")


def _test_prompts(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = _PROMPT.sub("```{doctest}\n", source[0])


def _skip_aliases(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    # an alias such as tuple[int, int] would be shown with the docstring of tuple
    return True if isinstance(thing, types.GenericAlias) else None


def _keep_bars(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    # |I_t| is a number of items, not a substitution of reStructuredText
    for place, line in enumerate(lines):
        parts = line.split("``")
        lines[place] = "``".join(
            part if k % 2 else part.replace("|", "\\|") for k, part in enumerate(parts)
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Join the build."""
    app.connect("builder-inited", _before_reading)
    app.connect("source-read", _test_prompts)
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("autodoc-skip-member", _skip_aliases)
    app.connect("build-finished", _write_checker)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


__all__ = ["FOLDER", "setup", "write_pages"]
