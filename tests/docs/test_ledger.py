"""The committed ledger says what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from farkas.adversary.attack import attack
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.proofs import Standing, claims
from farkas.solvers import Ability, backends
from tests.conformance.solvers.cases import NATIVE
from tests.recorded import advice, matrix, relations, verdicts
from tests.tools.shared import ROOT


def test_the_ledger_lists_exactly_the_registered_claims() -> None:
    assert not verdicts.out_of_date(), advice(*verdicts.out_of_date())


# a claim that is not in the ledger yet is for the test above
ENTRIES = [entry for name, entry in verdicts.kept().items() if name in verdicts.names()]


def by_speed(entry: dict[str, Any]):
    return pytest.param(entry, id=entry["claim"], marks=[pytest.mark.slow] * entry["slow"])


@pytest.mark.parametrize("entry", [by_speed(entry) for entry in ENTRIES])
def test_a_verdict_in_the_ledger_is_that_of_the_code(entry: dict[str, Any], verdict_of) -> None:
    found = verdict_of(entry["claim"])
    wrong = verdicts.differences(entry["verdict"], found)
    assert not wrong, f"{wrong}; now {found}; if that is right, {advice(entry['claim'])}"


@pytest.mark.parametrize("entry", [by_speed(entry) for entry in ENTRIES])
def test_a_claim_states_as_much_as_was_recorded(entry: dict[str, Any], stated_by) -> None:
    moved = relations.differences(entry["claim"], stated_by(entry["claim"]))
    assert not moved, f"{moved}; if that is right, {advice(entry['claim'])}"


def test_relations_are_recorded_of_claims_that_there_are() -> None:
    assert set(relations.kept()) <= set(verdicts.names())
    assert len(relations.kept()) > 140


REFUTED = [e for e in ENTRIES if e["verdict"]["standing"] == Standing.REFUTED]


@pytest.mark.parametrize("entry", REFUTED, ids=lambda entry: entry["claim"])
def test_a_counterexample_can_be_had_and_recomputed(entry: dict[str, Any]) -> None:
    verdict, kind = entry["verdict"], entry["claim"].partition(".")[0]
    if isinstance(verdict["counterexample"], str):
        assert library.load(verdict["counterexample"]).kind == kind
        assert verdict.get("numbers") or verdict["note"], "nothing to recompute"


STANDING = re.compile("|".join(sorted(map(re.escape, Standing))))


def verdict_rows() -> list[tuple[str, str, str]]:
    """Kind and cells of every row of the tables of verdicts on the pages of papers."""
    tables = re.compile(r"^\| claim \| verdict \|\n\|---\|---\|\n((?:\|.*\|\n)+)", re.M)
    return [
        (kind, *row.strip("| ").rsplit(" | ", 1))
        for kind in own_kinds()
        for table in tables.findall((ROOT / "docs" / f"{kind}.md").read_text())
        for row in table.splitlines()
    ]


@pytest.mark.parametrize(("kind", "names", "words"), verdict_rows())
def test_a_verdict_on_a_page_of_a_paper_is_the_recorded_one(kind, names, words) -> None:
    listed = re.findall(rf"`({kind}\.\w+)`", names)
    assert listed, "the row names no claim"
    assert not re.findall(rf"`{kind}\.\w+`", words), "claims stand in the first cell"
    recorded = {verdicts.kept()[name]["verdict"]["standing"] for name in listed}
    assert recorded == set(STANDING.findall(words)), listed


NUMBER = re.compile(r"(?<![\w./])\d+(?:[ ,]\d{3})*(?:\.\d+)?(?:e-?\d+)?(?![\w/]|\.\d)")
ITEM = re.compile(r"`[^`]*`|\(\d+[a-z]?\)|(?:Theorem|Lemma)s? \d")


def numbers(said: Any) -> Iterator[float]:
    """Numbers of a verdict's plain data, in words too."""
    if isinstance(said, dict):
        said = [*said.keys(), *said.values()]
    if isinstance(said, list):
        for one in said:
            yield from numbers(one)
    elif isinstance(said, str):
        for one in NUMBER.findall(said.replace("_", " ")):
            yield float(re.sub("[ ,]", "", one))
    elif said is not None:
        yield abs(float(said))


@pytest.mark.parametrize(("kind", "names", "words"), verdict_rows())
def test_a_number_beside_a_verdict_is_one_of_its_claims(kind, names, words) -> None:
    listed = re.findall(rf"`({kind}\.\w+)`", names)
    known = {n for name in listed for n in numbers([verdicts.kept()[name], claims[name].statement])}
    for said in NUMBER.findall(ITEM.sub("", words)):
        number = Decimal(re.sub("[ ,]", "", said))
        half = 0.501 * 10.0 ** int(number.as_tuple().exponent)
        near = [
            n for n in known if min(abs(n - float(number)), abs(100 * n - float(number))) <= half
        ]
        assert near, f"{said} in: {words}"


def test_the_pages_of_papers_show_verdicts() -> None:
    assert {kind for kind, *_ in verdict_rows()} >= {"coded", "dps", "eris", "mlbroker"}


def test_the_matrix_covers_the_solvers_and_tests_of_the_suite() -> None:
    assert not matrix.out_of_date(), f"{matrix.out_of_date()}: {advice('solvers')}"


@pytest.mark.parametrize("solver", NATIVE)
def test_no_solver_passed_what_it_says_it_cannot(solver: str) -> None:
    able = Ability.INTEGER in backends[solver].abilities
    assert (solver in matrix.kept()["tests"]["test_integer_program"]) == able, advice(solver)


@pytest.mark.parametrize("name", verdicts.attackable())
def test_a_claim_that_holds_says_how_hard_it_was_attacked(name: str) -> None:
    kept = verdicts.attacked()
    assert name in kept, f'make record ATTACKED="{name}"'
    assert kept[name].evaluations >= 1
    assert kept[name].seconds >= 5
    assert kept[name].slack is not None


def test_the_page_on_worst_cases_says_how_hard_claims_were_attacked() -> None:
    page = (ROOT / "docs" / "worst.md").read_text()
    found = page.partition("Claims that hold stay")[2].partition("Smallest slacks")[0]
    rows = [
        f"| `{name}` | {kept.seconds:.0f} | {kept.evaluations:,} | {kept.slack:.2g} |"
        for name, kept in sorted(verdicts.attacked().items())
    ]
    assert [line for line in found.splitlines() if line.startswith("| `")] == rows


def test_attacks_are_kept_of_claims_that_can_be_attacked() -> None:
    assert set(verdicts.attacked()) <= set(verdicts.attackable())


@pytest.mark.slow
@pytest.mark.parametrize("name", verdicts.attackable())
def test_an_attack_in_the_ledger_comes_out_the_same(name: str) -> None:
    kept = verdicts.attacked()[name]
    found = attack(claims[name], evaluations=kept.evaluations, seed=kept.seed)
    assert found.found is None
    assert found.slack == pytest.approx(kept.slack, rel=1e-4, abs=1e-6)
