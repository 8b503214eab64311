"""What pages say of figures is what they showed at the full preset, and what the code declares."""

from __future__ import annotations

from typing import Any

import pytest
from farkas_docs import figures as listing

from farkas.api.attack import search_violation
from farkas.experiments.figures import Statement, agreement, figures, of_kind
from farkas.instances.files import own_kinds
from farkas.proofs import claims
from farkas.solvers import Ability, backends
from tests.conformance.solvers.cases import NATIVE
from tests.experiments.figures.made import exhibit, lines
from tests.recorded import advice, matrix, relations, verdicts
from tests.recorded import figures as record
from tests.tools.shared import ROOT

KEPT = record.kept()


def test_the_standing_of_every_recorded_figure_is_declared_and_follows_from_its_findings():
    assert KEPT.keys() == set(record.names())
    for name, said in KEPT.items():
        findings = [Statement(**finding) for finding in said["findings"]]
        assert said["standing"] == agreement(findings), name
        assert said["standing"] == figures[name].agreement, name
        assert said["instances"] >= 5, name


def test_the_page_of_dps_has_the_laws_of_budgets_that_were_recorded():
    page = (ROOT / "docs" / "dps.md").read_text()
    *found, last = KEPT["dps.table1"]["findings"]
    assert len(found) == 10
    for finding in found:
        assert f"| {finding['note'].replace('; ', ' | ')} |\n" in page, finding
    assert f"Under no law all statements hold, and {last['note']} do." in page


@pytest.mark.parametrize("kind", own_kinds())
def test_the_page_of_a_kind_shows_what_was_recorded_of_its_figures(kind):
    page = (ROOT / "docs" / f"{kind}.md").read_text()
    assert page.count(f"{{include}} generated/listings/{kind}_figures.md") == 1
    (listed,) = (text for name, text in listing.pages() if name == f"listings/{kind}_figures")
    rows = listed.splitlines()[2:]
    labels = [row.split("|")[1].strip() for row in rows if row]
    assert labels == [listing.label(one) for one in of_kind(kind)]
    assert "make figures" not in listed


def test_a_page_shows_what_a_figure_finds_with_its_numbers():
    said = {"standing": "trend reproduced", "findings": [
        {"statement": "falls", "holds": True, "note": "3 to 1", "about": "shape"},
        {"statement": "rises", "holds": True, "note": "", "about": "ours"},
        {"statement": "is 1", "holds": False, "note": "", "about": "value"}]}  # fmt: skip
    assert listing.label(exhibit(lines())) == "Fig. 5"
    shown = listing.row(exhibit(lines()), said)
    assert shown == [
        "Cost & load",
        "trend reproduced",
        "falls: yes (3 to 1); is 1: no",
        "rises: yes",
    ]
    assert listing.row(exhibit(lines()), None)[1:] == [
        "trend reproduced", "recorded by `make figures`", ""
    ]  # fmt: skip


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
    found = search_violation(claims[name], evaluations=kept.evaluations, seed=kept.seed)
    assert found.found is None
    assert found.slack == pytest.approx(kept.slack, rel=1e-4, abs=1e-6)
