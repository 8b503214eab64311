"""Tables that pages of the papers include: programs, algorithms and claims of a kind, one a row.

Also ``quantities``, the page of all named numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from farkas.algebra import programs
from farkas.algebra.formulation import first_line
from farkas.instances import kinds
from farkas.online import algorithms
from farkas.quantities import quantities
from farkas_docs.algorithms import met
from farkas_docs.claims import lines_of_kind, standing
from farkas_docs.text import anchor, cell, code_cell, page, table


def pages() -> Iterator[tuple[str, str]]:
    """``quantities``; ``listings/<kind>_programs``, ``..._algorithms`` and ``..._claims``."""
    yield "quantities", page("Quantities", QUANTITIES, *_quantities())
    for kind in kinds():
        for role, listing in LISTINGS.items():
            yield f"listings/{kind}_{role}", listing(kind) + "\n"


QUANTITIES = """Named numbers of an instance: `farkas show FILE KEY` prints one,
`farkas.evaluate` returns several. Braces stand for indices or options. The name of a program is its
optimum, that of an algorithm what its run is worth, and `ALGORITHM.PART` a number of that run."""


def _quantities() -> Iterator[str]:
    for kind in kinds():
        names = quantities.names(f"{kind}.")
        if names:
            yield f"## {kind}"
            yield table(["key", "what it is"], [[f"`{n}`", cell(quantities[n].doc)] for n in names])


def _programs(kind: str) -> str:
    rows = []
    for name in programs.names(f"{kind}."):
        options = programs[name].options()
        variants = [f"`{key}` {', '.join(values)}" for key, values in options.items()]
        link = f"[`{name}`](generated/{kind}_programs.md#{_slug(name)})"
        rows.append([link, cell(first_line(programs[name])), "; ".join(variants)])
    return table(["program", "what it is", "variants, default first"], rows)


def _algorithms(kind: str) -> str:
    rows = []
    for name in algorithms.names(f"{kind}."):
        item = algorithms[name]
        link = f"[`{name}`](generated/algorithms.md#{_slug(name)})"
        options = ", ".join(code_cell(option) for option in item.options)
        rows.append([link, cell(item.doc.split("\n\n")[0]), cell(item.source), options])
    return met(kind) + "\n\n" + table(["algorithm", "what it does", "source", "options"], rows)


def _claims(kind: str) -> str:
    rows = []
    for claim, verdict in lines_of_kind(kind):
        link = f"[`{claim.name}`](generated/{kind}_claims.md#{anchor(claim.name)})"
        example = verdict.get("counterexample")
        by = f" by `{example}`" if isinstance(example, str) else ""
        rows.append([link, cell(claim.statement.split("\n\n")[0]), standing(verdict) + by])
    return table(["claim", "statement", "verdict"], rows)


LISTINGS = {"programs": _programs, "algorithms": _algorithms, "claims": _claims}


def _slug(name: str) -> str:
    """Anchor that the heading of a name gets."""
    return re.sub(r"[^\w-]", "", name.lower())
