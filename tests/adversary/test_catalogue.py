"""Statements that ship: each is proved, repeated, and as bad as recorded; forged ones are not."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from farkas_docs.worst import drawn_of, read_searches

import farkas
from farkas.adversary.catalogue import (
    FOLDER,
    FOUND,
    ShippedStatement,
    find_statement,
    label_of,
    statements_of,
)
from farkas.adversary.gap import UNBOUNDED, from_json
from farkas.adversary.moves import LOST
from farkas.errors import FileProblem, UnknownName
from farkas.instances.files import own_kinds
from farkas.online.driver import algorithms

SHIPPED = [one for kind in own_kinds() for one in statements_of(kind)]


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda one: one.name)
def test_a_shipped_statement_is_proved_repeated_and_as_bad_as_it_says(
    shipped: ShippedStatement,
) -> None:
    proof = farkas.check(str(shipped.path))
    standing = shipped.prove()
    assert standing.proof is not None, standing.objection
    assert standing.repeats
    said = from_json(shipped.path.read_bytes(), shipped.name).ratio
    if said == UNBOUNDED:
        assert standing.ratio is None
    else:
        assert standing.ratio is None or standing.ratio >= Fraction(said)
    assert proof.ratio == standing.ratio
    # nor is the worst random draw worse, but for what shrinking may give up
    drawn, least = drawn_of(shipped).prove(), 1 - Fraction(LOST)
    assert drawn.repeats
    assert standing.ratio is None or (drawn.ratio and standing.ratio >= drawn.ratio * least)
    assert label_of(shipped.name) == shipped.path.stem


def copied(tmp_path: Path, name: str) -> ShippedStatement:
    """Copy a statement and its draw, to be forged."""
    shipped = find_statement(name)
    folder = tmp_path / shipped.folder.name
    shutil.copytree(shipped.folder, folder)
    (found,) = [one for one in statements_of(folder.name, tmp_path) if one.name == name]
    return found


def test_a_larger_ratio_than_is_proved_is_not_proved(tmp_path: Path) -> None:
    shipped = copied(tmp_path, "mlbroker.local")
    data = json.loads(shipped.path.read_text())
    data["ratio"] = "1000000"
    shipped.path.write_text(json.dumps(data))
    standing = shipped.prove()
    assert standing.proof is None
    assert not standing.repeats
    assert "claimed is the ratio 1000000" in standing.objection
    with pytest.raises(ValueError, match="nothing is proved"):
        _ = standing.ratio


def test_decisions_that_the_algorithm_does_not_take_are_proved_but_not_repeated(
    tmp_path: Path,
) -> None:
    shipped = copied(tmp_path, "mlbroker.local")
    data = json.loads(shipped.path.read_text())
    # the better decisions under the algorithm's name: true of whoever decides so, a ratio of 1
    data["reached"]["decisions"] = data["witness"]["decisions"]
    data["ratio"] = "1"
    shipped.path.write_text(json.dumps(data))
    standing = shipped.prove()
    assert standing.proof is not None
    assert not standing.repeats


def test_the_statement_of_another_algorithm_is_not_this_one(tmp_path: Path) -> None:
    shipped = copied(tmp_path, "mlbroker.local")
    other = find_statement("mlbroker.central")
    shutil.copy(other.path, shipped.path)
    standing = shipped.prove()
    assert standing.proof is None
    assert standing.objection == "local.json is about mlbroker.central"


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"farkas": 1'])
def test_what_is_no_statement_is_not_proved(tmp_path: Path, content: bytes) -> None:
    shipped = copied(tmp_path, "mlbroker.local")
    shipped.path.write_bytes(content)
    assert shipped.prove().proof is None
    shipped.path.unlink()
    assert "local.json: No such file" in shipped.prove().objection


def test_names_that_do_not_ship_are_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownName, match=r"did you mean mlbroker\.local"):
        find_statement("mlbroker.locl")
    with pytest.raises(UnknownName):
        find_statement("mlbroker.opt")  # exact: nothing is worse


@pytest.mark.parametrize("kind", own_kinds())
def test_every_kind_ships_its_own_algorithm_and_every_record_has_its_statement(kind: str) -> None:
    names = {one.name for one in statements_of(kind)}
    assert len(names) >= 4
    assert {name.partition("[")[0] for name in names} <= set(algorithms)
    assert set(read_searches(FOLDER / kind / FOUND)) == names


def test_a_broken_record_is_refused(tmp_path: Path) -> None:
    assert read_searches(tmp_path / "none.json") == {}
    (tmp_path / FOUND).write_text("[")
    with pytest.raises(FileProblem, match="says not how statements were found"):
        read_searches(tmp_path / FOUND)
    assert statements_of("nowhere", tmp_path) == []
