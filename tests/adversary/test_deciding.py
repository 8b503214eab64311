"""What algorithms decide, and whether they decide so again."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.adversary.deciding import decide, decides_again
from farkas.adversary.gap import from_json, prove_gap
from farkas.instances import library
from farkas.online.driver import algorithms
from farkas.online.recording import plain
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
