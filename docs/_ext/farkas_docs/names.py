"""Glossary: the code's names of variables beside the papers' symbols."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.algebra import Program, programs
from farkas.algebra.declarations import Declarations
from farkas.instances import kinds
from farkas_docs.text import cell, page, table


def pages() -> Iterator[tuple[str, str]]:
    """``names``."""
    parts = ["Variables of the programs with their meaning; the paper's symbol comes last."]
    for kind in kinds():
        found: dict[str, tuple[str, set[str]]] = {}
        for name in programs.names():
            if programs[name].kind == kind and issubclass(programs[name], Program):
                _collect(name, found)
        rows = [
            [f"`{variable}`", cell(doc), ", ".join(f"`{p}`" for p in sorted(where))]
            for (variable, doc), where in sorted(_merged(found).items())
        ]
        if rows:
            parts += [f"## {kind}", table(["variable", "meaning; symbol", "programs"], rows)]
    yield "names", page("Names and symbols", *parts)


def _collect(name: str, found: dict[str, tuple[str, set[str]]]) -> None:
    program = programs[name]()
    assert isinstance(program, Program)
    declared: Declarations = program.declarations(program.example())
    for variable in declared.variables:
        if variable.doc:
            key = f"{variable.name}\n{' '.join(variable.doc.split())}"
            found.setdefault(key, (variable.doc, set()))[1].add(name)


def _merged(found: dict[str, tuple[str, set[str]]]) -> dict[tuple[str, str], set[str]]:
    return {(key.partition("\n")[0], doc): where for key, (doc, where) in found.items()}
