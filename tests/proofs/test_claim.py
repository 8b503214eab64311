"""Verdicts say exactly what is known."""

from __future__ import annotations

import pytest

from farkas.errors import UnknownName
from farkas.proofs import Standing, claim, claims, held, not_applicable, proved, refuted
from farkas.proofs.claim import Claim, select, ships


def test_a_verdict_is_neither_true_nor_false() -> None:
    # `if verdict:` would take "refuted" for a success
    with pytest.raises(TypeError, match="compare its standing"):
        bool(refuted("mlbroker/tiny"))


@pytest.mark.parametrize("counterexample", ["", {}, "mlbroker/nowhere", "tiny", "mlbroker/../x"])
def test_a_refutation_needs_a_counterexample_that_ships(counterexample: object) -> None:
    with pytest.raises(ValueError, match=r"counterexample|no instance"):
        refuted(counterexample)  # type: ignore[arg-type]


def test_a_counterexample_that_violates_nothing_is_an_error_and_no_evidence():
    assert refuted("mlbroker/tiny", violates=True).standing is Standing.REFUTED
    with pytest.raises(ValueError, match=r"mlbroker/tiny violates nothing: .*'left': 2"):
        refuted("mlbroker/tiny", violates=False, left=2.0, right=2.0)


@pytest.mark.parametrize(("runs", "slack"), [(0, 1.0), (-1, 1.0), (5, -1e-9), (5, float("nan"))])
def test_held_needs_runs_and_no_violation(runs: int, slack: float) -> None:
    with pytest.raises(ValueError, match=r"says nothing|is a violation"):
        held(runs, slack)


def test_not_applicable_says_which_assumption_fails() -> None:
    with pytest.raises(ValueError, match="which assumption"):
        not_applicable("")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (proved(), "proved"),
        (held(200, 0.25), "held: in 200 runs, smallest slack 0.25"),
        (refuted("mlbroker/tiny", "ratio 3 > 2"), "refuted: by mlbroker/tiny; ratio 3 > 2"),
        (not_applicable("prices are negative"), "not applicable: prices are negative"),
    ],
)
def test_a_verdict_in_words(verdict: object, words: str) -> None:
    assert str(verdict) == words
    assert "passed" not in words


def test_plain_data_of_a_verdict_keeps_the_numbers() -> None:
    data = refuted({"epsilon": 1.0}, left=3.0, right=2.0).to_builtins()
    assert data == {
        "standing": "refuted",
        "counterexample": {"epsilon": 1.0},
        "numbers": {"left": 3.0, "right": 2.0},
    }


@pytest.mark.parametrize("name", ["nokind", "kind."[:4]])
def test_a_claim_needs_kind_and_name(name: str) -> None:
    with pytest.raises(ValueError, match=r"kind\.what_it_says"):
        claim(name, source="nowhere")


def test_a_claim_needs_source_and_statement() -> None:
    with pytest.raises(ValueError, match="source"):
        claim("mlbroker.nothing", source="")
    with pytest.raises(ValueError, match="statement"):
        claim("mlbroker.nothing", source="nowhere")(lambda: proved())


def test_a_check_that_returns_no_verdict_is_refused() -> None:
    wrong = Claim("mlbroker.wrong", "nowhere", "Says nothing.", lambda: True)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"mlbroker\.wrong returned bool"):
        wrong.run()


def test_selecting_by_nothing_gives_all_and_by_name_one() -> None:
    assert [item.name for item in select()] == claims.names()
    with pytest.raises(UnknownName, match="unknown claim"):
        select("mlbroker.no_such")


def test_standings_are_the_four_words_of_the_ledger() -> None:
    assert [str(s) for s in Standing] == ["proved", "held", "refuted", "not applicable"]


def test_shipped_instances_are_found_with_and_without_suffix() -> None:
    assert ships("mlbroker/tiny")
    assert ships("mlbroker/tiny.json")
