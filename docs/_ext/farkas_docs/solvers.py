"""Which solver can do what: declared abilities, and what the conformance suite saw it do."""

from __future__ import annotations

import json
from collections.abc import Iterator

from farkas.solvers import Ability, backends
from farkas_docs.claims import LEDGER
from farkas_docs.text import page, table

INTRO = """Names for `--solver`. What is installed and licensed on this machine: `farkas solvers`.
`pyomo:NAME` and `cvxpy:NAME` reach every solver behind these two bridges."""


def pages() -> Iterator[tuple[str, str]]:
    """``solvers``."""
    yield "solvers", page("Solvers", INTRO, "## Declared abilities", _abilities(), _conformance())


def _abilities() -> str:
    head = ["solver", *(str(a.name).lower() for a in Ability), "package"]
    rows = [
        [f"`{name}`", *("yes" if a in backends[name].abilities else "–" for a in Ability),
         f"`{backends[name].package}`"]
        for name in backends
    ]  # fmt: skip
    return table(head, rows)


def _conformance() -> str:
    path = LEDGER / "solvers.json"
    if not path.exists():
        return ""
    seen = json.loads(path.read_text())
    solvers = seen["solvers"]
    rows = [
        [test.removeprefix("test_").replace("_", " "), *(passed.get(s, "–") for s in solvers)]
        for test, passed in seen["tests"].items()
    ]
    words = (
        "Every solver meets the same tests (`tests/conformance/solvers`). A number says in how "
        "many cases it passed, a dash that the solver does not declare the ability. "
        "Written by `make record NAMES=solvers`."
    )
    head = ["what is tested", *(f"`{s}`" for s in solvers)]
    return f"## Seen by the conformance suite\n\n{words}\n\n{table(head, rows)}"
