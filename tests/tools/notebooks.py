"""Pages that are notebooks: their cells, and what they show, executed without a notebook."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import time
from pathlib import Path
from typing import Any

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FRONT = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
TAGS = re.compile(r"\A(?::\w[^\n]*\n)+")
SHOWN = ("_repr_html_", "_repr_svg_", "_repr_latex_")


def cells(text: str) -> list[str]:
    """Code of a MyST notebook, a cell each, without the cells' own headers."""
    return [TAGS.sub("", FRONT.sub("", cell)) for cell in CELL.findall(text)]


def prose(text: str) -> str:
    """What stands between the cells."""
    return CELL.sub("", FRONT.sub("", text))


def execute(text: str, where: str) -> tuple[dict[str, Any], str]:
    """Run all cells in one namespace; return it, and the text of what they print and show.

    What a cell ends with is shown in every way it knows.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for number, code in enumerate(cells(text), 1):
            _perform(code, f"{where}, cell {number}", names)
    return names, said.getvalue()


def _perform(code: str, where: str, names: dict[str, Any]) -> None:
    tree = ast.parse(code, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    if last is None:
        return
    value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    if value is None:
        return
    print(repr(value))
    for way in SHOWN:
        if hasattr(value, way):
            shown = getattr(value, way)()
            if way == "_repr_html_":  # what others hold is no text
                print(shown)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(execute(Path(given).read_text(), Path(given).name)[1])
        print(f"CPU seconds: {time.process_time():.1f}")
