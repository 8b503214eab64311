"""Pages that the code writes about itself, before Sphinx reads any page.

Each module below has ``pages() -> Iterator[tuple[str, str]]``: the path of a page below
``docs/generated`` without suffix, and its Markdown; or the path of a picture, and what draws it.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WRITERS = (
    "programs", "algorithms", "claims", "printed", "listings", "solvers", "command_line", "api",
    "names", "practice", "figures", "gallery", "learn", "worst",
)  # fmt: skip

FOLDER = Path(__file__).resolve().parents[2] / "generated"

ROOT = FOLDER.parents[1]
STAMP = ".made_of"
"""File in the folder of pages that says what they were made of."""


def write_pages(folder: Path = FOLDER) -> list[Path]:
    """Write all pages; a page that did not change keeps its time, so that builds stay quick.

    Nothing is done where what they are made of is what it was.
    """
    stamp, now = folder / STAMP, made_of(ROOT)
    if stamp.exists() and stamp.read_text() == now:
        return []
    stamp.unlink(missing_ok=True)
    written = _written(folder)
    stamp.write_text(now)
    return written


def made_of(root: Path) -> str:
    """Hash of all that pages are made of: the package, the ledgers, the writers, names of pages."""
    digest = hashlib.sha256(sys.version.encode())
    inside = [root / "farkas", root / "docs" / "ledger", root / "docs" / "_ext"]
    files = [path for folder in inside for path in folder.rglob("*") if path.is_file()]
    files += [root / name for name in ("pyproject.toml", "requirements.lock", "docs/index.md")]
    for path in sorted(files):
        if "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root).as_posix()} ".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    pages = [*root.glob("docs/*.md"), *root.glob("docs/tutorials/*.md")]
    digest.update(" ".join(sorted(path.name for path in pages)).encode())
    return digest.hexdigest()


def _written(folder: Path) -> list[Path]:
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
    if FOLDER.parent == Path(app.srcdir):  # tests build a few pages elsewhere
        write_pages()


def _write_checker(app: Sphinx, problem: Exception | None) -> None:
    """Put the page that checks proofs beside the others, which link to it by its name."""
    if problem is None and app.builder.name == "html":
        from farkas.api.proof_page import proof_page

        (Path(app.outdir) / "check.html").write_text(proof_page(), encoding="utf-8")


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


def _shorten(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, gives: Any
) -> tuple[str, Any] | None:
    if signature is None or " object at 0x" not in signature:
        return None
    from farkas_docs.api import without_addresses

    return without_addresses(signature), gives


def setup(app: Sphinx) -> dict[str, Any]:
    """Join the build."""
    from farkas_docs import formulas, quick, whole_words

    quick.setup(app)
    app.set_translator("html", whole_words.WholeWords)
    app.add_html_math_renderer(
        "farkas",
        inline_renderers=(formulas.visit_inline, None),
        block_renderers=(formulas.visit_display, None),
    )
    app.connect("builder-inited", _before_reading)
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("autodoc-skip-member", _skip_aliases)
    app.connect("autodoc-process-signature", _shorten)
    app.connect("build-finished", _write_checker)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


__all__ = ["FOLDER", "made_of", "setup", "write_pages"]
