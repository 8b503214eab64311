"""`farkas.attack`: a claim, what a search found of it, and what became of it."""

from __future__ import annotations

from typing import Any

import pytest

import farkas
from farkas.errors import InvalidOption, NoVerdict, UnknownName
from farkas.instances import library, write
from farkas.proofs import Standing, held, not_applicable, proved, refuted
from farkas.proofs.claim import Claim
from farkas.proofs.verdict import Among, Attacked, Stated, said
from farkas.verbs.attack import attack, why_not


def test_what_is_refuted_is_found_again(tmp_path: Any) -> None:
    found = attack("coded.simple_greedy_is_good", evaluations=400)
    assert found.found is not None
    assert found.instance is not None
    assert found.verdict.standing is Standing.REFUTED
    assert found.verdict.counterexample == "coded/greedy_trap"
    assert found.size is not None
    assert found.shipped_size is not None
    assert found.size <= found.shipped_size + 1
    plain = found.to_builtins()
    assert plain["broken"]
    assert plain["fails"]
    file = tmp_path / "found.json"
    write(found.instance, file)
    says = found.claim.says
    assert says is not None
    again = says(farkas.load(file))
    assert again is not None
    assert list(map(str, again.broken)) == list(map(str, found.found.said.broken))


@pytest.mark.slow
def test_what_holds_is_held_and_says_how_hard_it_was_attacked() -> None:
    found = attack("gadget.slot_without_violation", evaluations=25)
    assert found.found is None
    assert found.verdict.standing is Standing.HELD
    tried = found.verdict.attacked
    assert tried is not None
    assert (tried.evaluations, tried.seed) == (25, 0)
    assert "attacked for" in str(found.verdict)
    assert "25 instances, smallest slack 0" in str(found.verdict)
    assert found.verdict.to_builtins()["attacked"]["evaluations"] == 25
    assert found.instance is None


def always() -> Any:
    return held([Stated(1, "<=", 2)])


def test_what_falls_is_refuted_by_what_was_found() -> None:
    def says(one: Any) -> Any:
        return said(Stated(one.num_jobs, ">=", 2))

    fallen = Claim("mlbroker.planted", "nowhere", "two jobs", always, says)
    found = attack(fallen, evaluations=200)
    assert found.verdict.standing is Standing.REFUTED
    assert isinstance(found.verdict.counterexample, dict)
    assert found.verdict.counterexample["kind"] == "mlbroker"
    assert found.verdict.fails[0] in (Stated(0, ">=", 2), Stated(1, ">=", 2))
    assert found.shipped_size is None


def test_what_breaks_other_input_is_no_instance() -> None:
    claim = Claim(
        "mlbroker.planted", "nowhere", "small", always,
        lambda one: said(Stated(one["x"], "<=", 3)), Among(samples=lambda: [{"x": 1}, {"x": 5}]),
    )  # fmt: skip
    found = attack(claim, evaluations=20)
    assert found.verdict.standing is Standing.REFUTED
    assert found.verdict.counterexample == found.found.data  # type: ignore[union-attr]
    assert found.size is None
    assert found.instance is None


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (UnknownName, {"claim": "coded.nothing"}),
        (InvalidOption, {"claim": "coded.theorem1"}),
        (InvalidOption, {"claim": "coded.proposition1", "evaluations": 0}),
        (InvalidOption, {"claim": "coded.proposition1", "seconds": -1.0}),
        (TypeError, {"claim": "coded.proposition1", "evaluations": 2.5}),
        (TypeError, {"claim": 7}),
    ],
)
def test_what_cannot_be_asked_is_refused(error: type[Exception], arguments: dict[str, Any]) -> None:
    with pytest.raises((error, InvalidOption)) as raised:
        attack(**arguments)
    assert "\n" not in str(raised.value)


def test_a_claim_that_cannot_be_attacked_says_why() -> None:
    broken = Stated(2, "<=", 1)
    assert "all values" in why_not(proved())
    assert "assumption" in why_not(not_applicable("no"))
    assert "by hand" in why_not(refuted("gadget/shared_link", broken))
    assert "horizon, jobs" in why_not(refuted({"horizon": 1, "jobs": 3}, broken))
    assert "many runs" in why_not(held([Stated(1, "<=", 2)]))


def test_an_attack_of_a_check_that_gives_no_verdict_says_so() -> None:
    def says_nothing() -> Any:
        raise NoVerdict("no step goes through")

    claim = Claim("mlbroker.planted", "nowhere", "x", says_nothing, lambda one: None)
    with pytest.raises(NoVerdict):
        attack(claim, evaluations=1)


@pytest.mark.parametrize("slack", [0.013, 0.0, None, float("inf")])
def test_words_of_an_attack(slack: float | None) -> None:
    tried = Attacked(seconds=60.0, evaluations=4210, slack=slack, seed=1)
    words = str(tried)
    assert words.startswith("attacked for 60 s, 4,210 instances, ")
    least = "said of none" if slack is None else f"smallest slack {slack:.3g}"
    assert words.endswith(least)
    assert "Infinity" not in str(tried.to_builtins())
    assert library.names("gadget")
