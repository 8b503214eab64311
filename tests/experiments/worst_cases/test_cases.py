"""What theorems promise on the instances of statements, and what is exceeded."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest

from farkas.adversary.shipped import HowFound, find_statement
from farkas.experiments.worst_cases.cases import (
    WorstKnown,
    case_of,
    cases_of,
    found_words,
    random_words,
    ratio_words,
)
from tests.experiments.worst_cases.made import copied


def test_eris_exceeds_its_theorem_as_printed() -> None:
    case = case_of(find_statement("eris.eris"))
    (theorem,) = case.theorems
    assert theorem.reading == "printed"
    assert theorem.factor == pytest.approx(39.863, abs=1e-3)
    assert theorem.exceeded
    assert theorem.guarantee.claim == "eris.competitive_ratio"
    assert case.factor("printed") == theorem.factor
    assert case.factor("repaired") is None


def test_an_algorithm_without_theorem_has_none() -> None:
    assert case_of(find_statement("dps.simple")).theorems == []


def test_a_theorem_whose_assumption_is_false_has_no_factor_and_is_not_exceeded() -> None:
    # rates differ between masters, so that the remark on masters alike does not apply
    case = case_of(find_statement("coded.simple_greedy"))
    assert [theorem.factor for theorem in case.theorems] == [None, None]
    assert not any(theorem.exceeded for theorem in case.theorems)


def test_a_witness_of_another_problem_exceeds_nothing() -> None:
    standing = find_statement("eris.eris").prove()
    case = case_of(standing.shipped)
    assert case.theorems[0].exceeded
    from farkas.experiments.worst_cases.cases import _theorem

    guarantee = dataclasses.replace(case.theorems[0].guarantee, witnesses=frozenset())
    assert not _theorem(guarantee, standing).exceeded
    unrepeated = dataclasses.replace(standing, repeats=False)
    assert not _theorem(case.theorems[0].guarantee, unrepeated).exceeded
    larger = dataclasses.replace(case.theorems[0].guarantee, factor=lambda *_: 1e9)
    assert not _theorem(larger, standing).exceeded


def test_a_forged_statement_is_proved_nowhere(tmp_path: Path) -> None:
    shipped = copied(tmp_path, "eris.eris")
    data = json.loads(shipped.path.read_text())
    data["ratio"] = "5000"
    shipped.path.write_text(json.dumps(data))
    case = case_of(shipped)
    assert not case.is_proved
    assert not case.beats_random
    assert found_words(case) == "not proved"
    assert not any(theorem.exceeded or theorem.factor for theorem in case.theorems)


def test_what_the_algorithm_does_not_repeat_is_said() -> None:
    standing = find_statement("mlbroker.local").prove()
    case = WorstKnown(dataclasses.replace(standing, repeats=False), [])
    assert not case.is_proved
    assert found_words(case).endswith(", not repeated here")


def test_draws_beat_the_search_where_they_are_worse_or_found_it() -> None:
    standing = find_statement("mlbroker.local").prove()
    assert standing.proof is not None
    assert standing.random is not None
    assert standing.ratio is not None
    assert WorstKnown(standing, []).beats_random == (
        standing.random.ratio is not None and standing.ratio >= standing.random.ratio
    )
    swapped = dataclasses.replace(standing, proof=standing.random, random=standing.proof)
    assert not WorstKnown(swapped, []).beats_random
    search = standing.shipped.search
    assert isinstance(search, HowFound)
    drawn = dataclasses.replace(
        standing.shipped, search=HowFound(**{**to_dict(search), "found_by": "draws"})
    )
    assert not WorstKnown(dataclasses.replace(standing, shipped=drawn), []).beats_random
    alone = dataclasses.replace(standing, random=None)
    assert WorstKnown(alone, []).beats_random
    assert random_words(WorstKnown(alone, [])) == "–"


def to_dict(search: HowFound) -> dict[str, object]:
    return {name: getattr(search, name) for name in search.__struct_fields__}


def test_ratios_are_rounded_down() -> None:
    assert ratio_words(Fraction(19999, 10000)) == "1.999"
    assert ratio_words(None) == "unbounded"


def test_all_statements_of_a_kind() -> None:
    names = [case.name for case in cases_of("coded")]
    assert names == sorted(names)
    assert "coded.simple_greedy" in names
    assert cases_of("nobody") == []
