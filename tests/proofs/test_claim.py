"""Verdicts say exactly what is known."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption, NoVerdict, UnknownName
from farkas.proofs import Standing, claim, claims, held, not_applicable, proved, refuted
from farkas.proofs.claim import Claim, select
from farkas.proofs.said import Stated

FAILS = Stated(3.0, "<=", 2.0)
HOLDS = Stated(1.0, "<=", 1.25)
EQUAL = Stated(1.0, "==", 1.01, 0.1)


def test_a_verdict_is_neither_true_nor_false() -> None:
    # `if verdict:` would take "refuted" for a success
    with pytest.raises(TypeError, match="compare its standing"):
        bool(refuted("mlbroker/tiny", FAILS))


@pytest.mark.parametrize("counterexample", ["", {}, "mlbroker/nowhere", "tiny", "mlbroker/../x"])
def test_a_refutation_needs_a_counterexample_that_ships(counterexample: object) -> None:
    with pytest.raises(ValueError, match=r"counterexample|no instance"):
        refuted(counterexample, FAILS)  # type: ignore[arg-type]


def test_a_counterexample_that_violates_nothing_is_an_error_and_no_evidence() -> None:
    assert refuted("mlbroker/tiny", FAILS).standing is Standing.REFUTED
    equal = Stated(2.0, "<=", 2.0)
    for statement in (equal, [FAILS, equal], [equal, FAILS]):
        with pytest.raises(NoVerdict, match="mlbroker/tiny violates nothing: 2 <= 2 holds"):
            refuted("mlbroker/tiny", statement)
    with pytest.raises(ValueError, match="needs the relation that fails"):
        refuted("mlbroker/tiny", [])


def test_sides_and_assumptions_are_relations_and_nothing_else() -> None:
    with pytest.raises(InvalidOption):
        refuted("mlbroker/tiny", [FAILS, True])  # type: ignore[list-item]
    with pytest.raises(InvalidOption):
        refuted("mlbroker/tiny", FAILS, given=[True])


def test_a_counterexample_meets_what_the_statement_assumes() -> None:
    one = Stated(1, ">", 0)
    assert refuted("mlbroker/tiny", FAILS, given=one).given == (one,)
    for given in (Stated(0, ">", 0), [one, Stated(0, ">", 0)]):
        with pytest.raises(NoVerdict, match="the assumption 0 > 0 fails"):
            refuted("mlbroker/tiny", FAILS, given=given)


@pytest.mark.parametrize("runs", [0, -1])
def test_held_needs_runs(runs: int) -> None:
    with pytest.raises(ValueError, match="says nothing"):
        held([Stated(0, "<=", 1)], runs=runs)
    with pytest.raises(ValueError, match="says nothing"):
        held([], runs=3)


def test_held_needs_every_relation_to_hold() -> None:
    fine = Stated(0, "<=", 1)
    for relations in ([FAILS], [fine, FAILS], [FAILS, fine]):
        with pytest.raises(NoVerdict, match="3 <= 2 is violated"):
            held(relations)


def test_held_counts_relations_and_keeps_smallest_slack_and_largest_tolerance() -> None:
    verdict = held([Stated(0, "<=", 0.5), Stated(4, "<=", 8, 0.125), Stated(1, "<=", 2)])
    assert (verdict.runs, verdict.slack, verdict.tolerance) == (3, 0.5, 0.125)
    assert held([Stated(0, "<=", 1), Stated(0, "<", 1)], runs=1).runs == 1


def test_not_applicable_says_which_assumption_fails() -> None:
    with pytest.raises(ValueError, match="which assumption"):
        not_applicable("")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (proved(), "proved"),
        (held([HOLDS], runs=200), "held: in 200 runs, smallest slack 0.25"),
        (held([EQUAL]), "held: in 1 runs, smallest slack -0.0099; tolerance 0.1"),
        (
            refuted("mlbroker/tiny", FAILS, "a ratio"),
            "refuted: by mlbroker/tiny; statement 3 <= 2 fails; a ratio",
        ),
        (refuted({"x": 1}, [FAILS, FAILS]), "refuted: statement 3 <= 2, 3 <= 2 fails"),
        (not_applicable("prices are negative"), "not applicable: prices are negative"),
    ],
)
def test_a_verdict_in_words(verdict: object, words: str) -> None:
    assert str(verdict) == words
    assert "passed" not in words


def test_plain_data_of_a_verdict_keeps_sides_and_numbers() -> None:
    data = refuted({"epsilon": 1.0}, FAILS, given=HOLDS, ratio=1.5).to_builtins()
    assert data == {
        "standing": "refuted",
        "counterexample": {"epsilon": 1.0},
        "fails": [{"left": 3.0, "sign": "<=", "right": 2.0}],
        "given": [{"left": 1.0, "sign": "<=", "right": 1.25}],
        "numbers": {"ratio": 1.5},
    }
    data = held([EQUAL]).to_builtins()
    assert data == {
        "standing": "held",
        "runs": 1,
        "slack": pytest.approx(-1 / 101),
        "tolerance": 0.1,
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
