"""The committed ledger says what the code says."""

from __future__ import annotations

from typing import Any

import pytest

from farkas.adversary.attack import attack
from farkas.proofs import claims
from farkas.solvers import Ability, backends
from tests.conformance.solvers.cases import NATIVE
from tests.recorded import advice, matrix, relations, verdicts


def test_the_ledger_lists_exactly_the_registered_claims() -> None:
    assert not verdicts.out_of_date(), advice(*verdicts.out_of_date())


# a claim that is not in the ledger yet is for the test above
ENTRIES = [entry for name, entry in verdicts.kept().items() if name in verdicts.names()]


def by_speed(entry: dict[str, Any]):
    return pytest.param(entry, id=entry["claim"], marks=[pytest.mark.slow] * entry["slow"])


@pytest.mark.ids(len(ENTRIES))
@pytest.mark.parametrize("entry", [by_speed(entry) for entry in ENTRIES])
def test_a_verdict_in_the_ledger_is_that_of_the_code(entry: dict[str, Any], verdict_of) -> None:
    found = verdict_of(entry["claim"])
    wrong = verdicts.differences(entry["verdict"], found)
    assert not wrong, f"{wrong}; now {found}; if that is right, {advice(entry['claim'])}"


@pytest.mark.ids(len(ENTRIES))
@pytest.mark.parametrize("entry", [by_speed(entry) for entry in ENTRIES])
def test_a_claim_states_as_much_as_was_recorded(entry: dict[str, Any], stated_by) -> None:
    moved = relations.differences(entry["claim"], stated_by(entry["claim"]))
    assert not moved, f"{moved}; if that is right, {advice(entry['claim'])}"


def test_relations_are_recorded_of_claims_that_there_are() -> None:
    assert set(relations.kept()) <= set(verdicts.names())
    assert len(relations.kept()) > 140


def test_the_matrix_covers_the_solvers_and_tests_of_the_suite() -> None:
    assert not matrix.out_of_date(), f"{matrix.out_of_date()}: {advice('solvers')}"


@pytest.mark.parametrize("solver", NATIVE)
def test_no_solver_passed_what_it_says_it_cannot(solver: str) -> None:
    able = Ability.INTEGER in backends[solver].abilities
    assert (solver in matrix.kept()["tests"]["test_integer_program"]) == able, advice(solver)


def test_a_claim_that_holds_says_how_hard_it_was_attacked() -> None:
    kept = verdicts.attacked()
    lacking = [name for name in verdicts.attackable() if name not in kept]
    assert not lacking, f'make record ATTACKED="{" ".join(lacking)}"'
    assert all(one.seconds >= 5 and one.slack is not None for one in kept.values())


def test_attacks_are_kept_of_claims_that_can_be_attacked() -> None:
    assert set(verdicts.attacked()) <= set(verdicts.attackable())


@pytest.mark.slow
@pytest.mark.parametrize("name", verdicts.attackable())
def test_an_attack_in_the_ledger_comes_out_the_same(name: str) -> None:
    kept = verdicts.attacked()[name]
    found = attack(claims[name], evaluations=kept.evaluations, seed=kept.seed)
    assert found.found is None
    assert found.slack == pytest.approx(kept.slack, rel=1e-4, abs=1e-6)
