"""What algorithms decide, and whether they decide so again."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.adversary.gap import from_json, prove_gap
from farkas.adversary.scoring import decide, decides_again
from farkas.adversary.shipped import find_statement
from farkas.instances import library
from farkas.online.driver import algorithms
from farkas.online.run import plain
from farkas.verbs.worst import worst


@pytest.mark.parametrize("name", ["mlbroker.local", "coded.simple_greedy", "dps.random"])
def test_decisions_are_those_of_a_run(name: str) -> None:
    algorithm = algorithms[name]
    instance = library.load(f"{algorithm.kind}/tiny")
    found = decide(algorithm, algorithm.settle({}), instance, 3)
    assert found is not None
    run = farkas.run(instance, name, seed=3)
    assert plain(found.decisions) == run.decisions
    assert (found.algorithm, found.kind, found.options) == (name, algorithm.kind, run.options)


def test_who_has_no_answer_decides_nothing() -> None:
    algorithm = algorithms["dps.fixed_price"]
    instance = library.load("dps/tiny").replace(fixed_prices=None)
    assert decide(algorithm, algorithm.settle({}), instance, 0) is None


@pytest.mark.slow
def test_a_statement_is_repeated_as_its_file_holds_it_and_not_when_decisions_differ() -> None:
    gap = worst("mlbroker.local", evaluations=30).gap
    instance = prove_gap(gap).instance
    assert decides_again(gap, instance)
    read = from_json(gap.to_json(), "file")  # tuples have become lists
    assert decides_again(read, instance)
    other = msgspec.structs.replace(read, reached=msgspec.structs.replace(
        read.witness, algorithm=read.reached.algorithm, options=read.reached.options))  # fmt: skip
    assert not decides_again(other, instance)


@pytest.mark.parametrize(("share", "again"), [(1e-12, True), (1e-6, False)])
def test_decisions_are_the_same_within_rounding(share: float, again: bool) -> None:
    shipped = find_statement("mlbroker.fractional")
    gap = from_json(shipped.path.read_bytes(), shipped.name)
    moved = msgspec.json.decode(msgspec.json.encode(gap.reached.decisions))
    workers = next(row for step in moved for row in step["workers"] if max(row) > 0)
    site = workers.index(max(workers))
    workers[site] *= 1.0 + share
    reached = msgspec.structs.replace(gap.reached, decisions=moved)
    other = msgspec.structs.replace(gap, reached=reached)
    assert decides_again(other, prove_gap(gap).instance) == again
