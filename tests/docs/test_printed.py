"""The ledger of the papers names what is there, and all that is."""

from __future__ import annotations

import importlib
import re

import pytest
from farkas_docs import printed

from farkas.instances.files import own_kinds
from farkas.online import algorithms
from farkas.proofs import claims


def test_every_paper_has_its_ledger_and_its_page_shows_every_row() -> None:
    assert printed.kinds() == sorted(own_kinds())
    pages = dict(printed.pages())
    for kind in printed.kinds():
        assert pages[f"ledger_{kind}"].count("\n| ") == 1 + len(printed.rows(kind))


def resolved(path: str) -> object:
    """What a dotted path below ``farkas`` names."""
    parts = f"farkas.{path}".split(".")
    for cut in range(len(parts), 1, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(path)


@pytest.mark.parametrize("kind", printed.kinds())
def test_a_row_says_where_it_is_or_why_it_is_nowhere(kind: str) -> None:
    for row in printed.rows(kind):
        assert row.says, row.item
        assert row.by or row.code or row.absent, row.item
        assert all(printed.embodied(name) and name.startswith(f"{kind}.") for name in row.by), row
        assert all(resolved(path) is not None for path in row.code), row


@pytest.mark.parametrize("kind", printed.kinds())
def test_all_that_the_code_says_of_a_paper_stands_in_its_ledger(kind: str) -> None:
    assert printed.placed(kind).keys() <= {row.item for row in printed.rows(kind)}


# what a source says of something that is not the paper's
OURS = re.compile(r"not in the paper|added|PrimalDualBwK|variant of our own")


@pytest.mark.parametrize("kind", printed.kinds())
def test_every_claim_and_algorithm_of_a_paper_stands_in_some_row(kind: str) -> None:
    named = {name for row in printed.rows(kind) for name in row.by}
    for registry in (claims, algorithms):
        for name in registry.names(f"{kind}."):
            assert name in named or OURS.search(registry[name].source), name
