"""The ledger of the papers: all that a paper numbers, in its order, and what embodies it.

``docs/ledger/papers/<kind>.toml`` lists the items.  What embodies them is read off the code where
it says so itself: labels of rules, and the sources of claims, algorithms and figures.  The rest
stands in the file: names (``by``), Python objects (``code``), or why there is nothing (``absent``).
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from farkas.algebra import ConvexProgram, programs
from farkas.algebra.formulation import Formulation, first_line
from farkas.algebra.program import RuleProgram
from farkas.errors import InvalidOption
from farkas.experiments.figures import Agreement, figures
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas_docs.claims import lines_of_kind, standing
from farkas_docs.text import anchor, cell, page, table

FOLDER = Path(__file__).resolve().parents[2] / "ledger" / "papers"


@dataclasses.dataclass(frozen=True)
class Row:
    """An item of a paper.

    Parameters
    ----------
    item
        As printed: ``(12b)``, ``Theorem 3``, ``Fig. 2``; a place in words where it has no number.
    says
        What it is.
    by
        Names of programs, claims, algorithms, quantities and figures that embody it.
    code
        Python objects that embody it, below ``farkas``.
    absent
        Why nothing does, or what of it is not modelled.
    ours
        Whether the code has it and the paper does not.
    """

    item: str
    says: str
    by: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    absent: str = ""
    ours: bool = False


def rows(kind: str) -> list[Row]:
    """Items of a paper in its order, with what the file says of them and what the code says."""
    found = placed(kind)
    rows = (Row(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()})
            for entry in listed(kind))  # fmt: skip
    return [dataclasses.replace(row, by=(*found.get(row.item, ()), *row.by)) for row in rows]


def listed(kind: str) -> list[dict[str, Any]]:
    """Rows as the file has them."""
    found: list[dict[str, Any]] = _file(kind)["row"]
    return found


def placed(kind: str) -> dict[str, list[str]]:
    """Item of the ledger to the names of what says in the code that it is that item."""
    items = {entry["item"] for entry in listed(kind)}
    found: dict[str, list[str]] = {}
    for item, names in from_code(kind).items():
        at = found.setdefault(item if item in items else _first_part(item), [])
        at += [name for name in names if name not in at]
    return found


def _first_part(item: str) -> str:
    """``(18a)`` of ``(18)``: some papers number only the parts of a program."""
    return re.sub(r"(\d)\)$", r"\1a)", item)


def kinds() -> list[str]:
    """Kinds whose papers have a ledger."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def _file(kind: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{kind}.toml").read_text())


def from_code(kind: str) -> dict[str, list[str]]:
    """Item to the names of what says in the code that it is that item."""
    found: dict[str, list[str]] = {}
    for name in programs.names(f"{kind}."):
        said = references(first_line(programs[name]))
        for item in dict.fromkeys([*said, *sorted(labels(programs[name]))]):
            found.setdefault(item, []).append(name)
    for registry in (claims, algorithms, figures):
        for name in registry.names(f"{kind}."):
            for item in references(registry[name].source):
                found.setdefault(item, []).append(name)
    return found


# Labels of rows that are nobody's: balances, connectivity, indicators.
_LABEL = re.compile(r"\d+[a-z]?")


def labels(cls: type[Formulation]) -> set[str]:
    """Equations that the rules of a program and of its variants are labelled with."""
    found: set[str] = set()
    for values in itertools.product(*cls.options().values()):
        try:
            program = cls(**dict(zip(cls.options(), values, strict=True)))
        except InvalidOption:
            continue
        if isinstance(program, RuleProgram):
            found |= {f.label for f in [*program.families(), *program.expressions()]}
        elif isinstance(program, ConvexProgram):
            found |= set(program.model(program.example()).labels.values())
    parts = (part for label in found for part in label.replace("*", "").split(","))
    return {f"({part})" for part in parts if _LABEL.fullmatch(part)}


_NUMBER = r"(?:\d[\d.]*|[IVX]+\b|[A-F]\b)"
_WORDS = {
    word: re.compile(rf"\b{pattern} ({_NUMBER}(?:,? (?:and )?{_NUMBER})*)(?! of \[)")
    for word, pattern in {
        "Theorem": "Theorems?",
        "Lemma": "Lemmas?",
        "Claim": "Claims?",
        "Proposition": "Propositions?",
        "Definition": "Definitions?",
        "Algorithm": "Algorithms?",
        "Fig.": r"Figs?\.",
        "Table": "Tables?",
        "Appendix": "[Aa]ppendix",
    }.items()
}
_RANGE = re.compile(r"\((K?)(\d+)([a-z]?)\)-\(K?(\d+)([a-z]?)\)")
_EQUATION = re.compile(r"\((\d{1,2}[a-z]?|[KP]\d+)\)")


def references(source: str) -> list[str]:
    """Items that a source names.

    >>> references("Paper Lemma 1, (29), Theorems 2 and 3, (8c)-(8e), Theorem 4 of [17]")
    ['(8c)', '(8d)', '(8e)', '(29)', 'Theorem 2', 'Theorem 3', 'Lemma 1']
    """
    found = [item for ends in _RANGE.findall(source) for item in _between(*ends)]
    found += [f"({number})" for number in _EQUATION.findall(_RANGE.sub("", source))]
    for word, pattern in _WORDS.items():
        for listed in pattern.findall(source):
            found += [f"{word} {n}" for n in re.findall(r"[\w.]*\w", listed) if n != "and"]
    return list(dict.fromkeys(found))


def _between(row: str, first: str, letter: str, last: str, end: str) -> Iterator[str]:
    if letter:
        return (f"({first}{chr(c)})" for c in range(ord(letter), ord(end) + 1))
    return (f"({row}{n})" for n in range(int(first), int(last) + 1))


def embodied(name: str) -> str | None:
    """Role of a name that a row gives, or None when nothing is called so."""
    roles = {
        "claim": claims,
        "program": programs,
        "algorithm": algorithms,
        "quantity": quantities,
        "figure": figures,
    }
    found = next((role for role, registry in roles.items() if name in registry), None)
    if found is None and any(quantities[pattern].matches(name) for pattern in quantities.names()):
        return "quantity"
    return found


INTRO = """Everything that the paper numbers, in its order, and the unnumbered statements the code
speaks of. Labels of rules and sources of claims, algorithms and figures say where it is; a test
compares the numbers with those that the paper prints. *Not modelled* comes with its reason."""


def pages() -> Iterator[tuple[str, str]]:
    """``ledger`` and, for every paper, ``ledger_<kind>``."""
    counts = []
    for kind in kinds():
        found = rows(kind)
        absent = [row for row in found if not (row.by or row.code)]
        name = _file(kind)["paper"]
        counts.append([f"[{name}](ledger_{kind}.md)", str(len(found)), str(len(absent))])
        verdicts = {claim.name: standing(verdict) for claim, verdict in lines_of_kind(kind)}
        lines = [[cell(row.item), cell(row.says), _where(row, kind, verdicts)] for row in found]
        text = table(["item", "what it is", "where it is"], lines)
        yield f"ledger_{kind}", page(f"{name}, item by item", INTRO, text)
    listing = "\n".join(["```{toctree}", ":hidden:", *(f"ledger_{k}" for k in kinds()), "```"])
    counted = table(["paper", "items", "of them not modelled"], counts)
    yield "ledger", page("The papers, item by item", INTRO, counted, listing)


def _where(row: Row, kind: str, verdicts: dict[str, str]) -> str:
    parts = [_link(name, kind, verdicts) for name in row.by]
    parts += [f"`farkas.{name}`" for name in row.code]
    if row.ours:
        parts.append("not printed")
    if row.absent:
        parts.append(("not modelled: " if not (row.by or row.code) else "") + cell(row.absent))
    return "; ".join(parts)


def _link(name: str, kind: str, verdicts: dict[str, str]) -> str:
    role = embodied(name)
    slug = re.sub(r"[^\w-]", "", name.lower())
    if role == "claim":
        return f"[`{name}`]({kind}_claims.md#{anchor(name)}) {verdicts[name]}"
    if role == "program":
        return f"[`{name}`]({kind}_programs.md#{slug})"
    if role == "algorithm":
        return f"[`{name}`](algorithms.md#{slug})"
    if role == "quantity":
        return f"[`{name}`](quantities.md)"
    exhibit = figures[name]
    said = f"`{name}` {exhibit.agreement}"
    hidden = exhibit.agreement == Agreement.NOT_MODELLED
    return f"{said} ({cell(exhibit.reason)})" if hidden else said
