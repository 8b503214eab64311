"""`farkas list` names what there is, of one kind or of all."""

from __future__ import annotations

import json

import pytest

from farkas.algebra import programs
from farkas.cli import call
from farkas.cli.commands.list_ import SORTS, _lines
from farkas.experiments.figures import of_kind
from farkas.instances import kinds, library
from farkas.instances.generate import presets
from farkas.instances.traces import sources
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas.solvers import backends
from tests.tools.cells import cells

Capture = pytest.CaptureFixture[str]
EXPECTED = {
    "kinds": lambda kind: [kind] if kind else kinds(),
    "instances": library.names,
    "algorithms": lambda kind: algorithms.names(f"{kind}." if kind else ""),
    "programs": lambda kind: programs.names(f"{kind}." if kind else ""),
    "claims": lambda kind: claims.names(f"{kind}." if kind else ""),
    "quantities": lambda kind: quantities.names(f"{kind}." if kind else ""),
    "sources": lambda kind: [s for s in sources() if s in ("csv", "philly") or not kind],
    "presets": lambda kind: [f"{k} {p}" for k in ([kind] if kind else kinds()) for p in presets(k)],
    "figures": lambda kind: [e.name for k in ([kind] if kind else kinds()) for e in of_kind(k)],
    "solvers": lambda kind: list(backends),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("kind", ["", "eris"])
def test_the_names_of_a_sort_are_those_that_are_registered(
    sort: str, kind: str, capsys: Capture
) -> None:
    if sort == "solvers" and kind:
        assert call(["list", sort, kind]) == 2
        assert "solvers are of no kind" in capsys.readouterr().err
        return
    words = ["list", sort, *([kind] if kind else [])]
    assert call([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[sort]
    expected = EXPECTED[sort](kind)
    assert [one["name"] for one in found] == expected
    assert expected
    assert call(words) == 0
    title, *lines = cells(capsys.readouterr().out)
    of = " of eris" if kind and sort != "kinds" else ""
    assert title == [f"{len(expected)} {sort}{of}"]
    assert [line[0] for line in lines] == expected


def test_without_a_sort_the_sorts_are_listed(capsys: Capture) -> None:
    assert call(["list"]) == 0
    assert [row[0] for row in cells(capsys.readouterr().out)[1:]] == list(SORTS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["algoritms"], "unknown sort 'algoritms'; did you mean algorithms?"),
        (["programs", "gadgt"], "unknown kind 'gadgt'; did you mean gadget?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(
    words: list[str], said: str, capsys: Capture
) -> None:
    assert call(["list", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_shipped_instance_says_what_it_is_without_its_settings() -> None:
    told = dict(_lines("instances", "eris"))
    assert told["eris/tiny"] == "two sites, three jobs; a state for prices"
    assert told["eris/demo"] == "generated, preset small, seed 9"


def test_a_preset_says_how_to_draw_it_and_a_source_what_it_makes() -> None:
    assert ("gadget small", "farkas generate gadget --preset small") in _lines("presets", "gadget")
    assert dict(_lines("sources", ""))["gavel"] == "makes coded"
