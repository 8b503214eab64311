"""One page of all online algorithms and baselines, and one of the shipped instances."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.instances import kinds, library
from farkas.online import algorithms, environments
from farkas_docs.text import cell, code_cell, escaped, page, sections, table


def pages() -> Iterator[tuple[str, str]]:
    """``algorithms`` and ``library``."""
    parts = ["Every entry runs with `farkas run FILE --algorithm NAME` and joins `farkas compare`."]
    for kind in kinds():
        names = algorithms.names(f"{kind}.")
        parts += [f"## {kind}", met(kind), *map(_algorithm, names)] if names else []
    yield "algorithms", page("Algorithms and baselines", *parts)
    yield "library", page("Shipped instances", *_library())


def met(kind: str) -> str:
    """Say what a policy of a kind is shown and what it decides."""
    world = environments[kind]
    return f"In every step a policy is shown {world.arrives}. It decides {world.decides}."


def _algorithm(name: str) -> str:
    item = algorithms[name]
    text, found = sections(item.doc)
    meanings = found.get("Parameters", {})
    parts = [f"### {name}", f"*{escaped(item.source)}*" if item.source else "", escaped(text)]
    if item.options:
        rows = [
            [f"`{key}`", code_cell(str(value)), cell(meanings.get(key, ""))]
            for key, value in item.options.items()
        ]
        parts.append(table(["option (`--set`)", "default", "meaning"], rows))
    return "\n\n".join(part for part in parts if part)


def _library() -> Iterator[str]:
    yield "Small instances inside the package: `farkas.instances.library.load(NAME)`."
    for kind in kinds():
        names = library.names(kind)
        if names:
            rows = [[f"`{name}`", cell(str(library.path(name).name))] for name in names]
            yield f"## {kind}"
            yield table(["name", "file"], rows)
