"""Python started apart from the current folder, whose modules it never sees."""

import os
import sys
from pathlib import Path

START = (
    "import sys; root = sys.argv.pop();"
    " sys.path += [] if root in sys.path else [root];"
    " from {module} import main; main()"
)


def command(module: str, *words: str) -> list[str]:
    """Words that start ``main`` of a module of farkas, which finds ``words`` in `sys.argv`.

    Modules of the current folder are not found (``-P``).
    """
    root = str(Path(__file__).resolve().parents[1])
    return [sys.executable, "-P", "-c", START.format(module=module), *words, root]


def environment() -> dict[str, str]:
    """Our own, without the empty and relative parts of PYTHONPATH: they mean the current folder."""
    found = {**os.environ, "PYTHONSAFEPATH": "1"}
    parts = found.pop("PYTHONPATH", "").split(os.pathsep)
    kept = [part for part in parts if os.path.isabs(part)]
    return {**found, "PYTHONPATH": os.pathsep.join(kept)} if kept else found
