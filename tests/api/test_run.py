"""One algorithm on one instance."""

from __future__ import annotations

from typing import Any

import pytest

import farkas
from farkas.api.attack import attack, why_not
from farkas.api.run import evaluate, run
from farkas.errors import InvalidInstance, InvalidOption, NoVerdict, UnknownName
from farkas.instances import library, write
from farkas.online import algorithms
from farkas.online.driver import GONE
from farkas.proofs import Standing, held, not_applicable, proved, refuted
from farkas.proofs.claim import Claim
from farkas.proofs.verdict import Among, AttackRecord, Relation, said
from tests.tools.parts import parts


def test_name_and_algorithm_give_the_same_run() -> None:
    first = run("mlbroker/tiny", "mlbroker.local")
    second = run("mlbroker/tiny", algorithms["mlbroker.local"])
    assert (first.value, first.decisions) == (second.value, second.decisions)
    assert first.ratio == pytest.approx(first.value / float(first.certificate))  # type: ignore[arg-type]


def test_seed_options_and_progress_reach_the_run() -> None:
    told: list[tuple[int, int]] = []
    done = run(
        "mlbroker/tiny", "mlbroker.fractional", seed=3, epsilon=0.5,
        progress=lambda *step: told.append(step),
    )  # fmt: skip
    assert (done.manifest.seed, done.options["epsilon"]) == (3, 0.5)
    assert told[-1] == (2, 2), "tiny has two slots"


@pytest.mark.parametrize(
    ("algorithm", "options", "error"),
    [
        ("mlbroker.fractionel", {}, UnknownName),
        ("mlbroker.fractional", {"epsilan": 1.0}, InvalidOption),
        ("dps.simple", {}, InvalidInstance),
        ("mlbroker.mlbroker", {"seed": -3}, InvalidOption),
    ],
)
def test_what_does_not_fit_the_instance_is_refused(
    algorithm: str, options: dict[str, float], error: type[Exception]
) -> None:
    with pytest.raises(error):
        run("mlbroker/tiny", algorithm, **options)


def test_an_unknown_algorithm_is_answered_within_its_kind_or_that_of_the_instance() -> None:
    assert run("mlbroker/tiny", "local").algorithm == "mlbroker.local"
    with pytest.raises(UnknownName, match=r"'loca'; did you mean (mlbroker\.)?local"):
        run("mlbroker/tiny", "loca")
    for instance, name in (("dps/tiny", "dps.zzzzzz"), ("gadget/tiny", "nosuch")):
        with pytest.raises(UnknownName) as caught:
            run(instance, name)
        _, _, known = str(caught.value).partition("known: ")
        kind = instance.partition("/")[0]
        assert all(
            one.startswith((f"{kind}.", "...")) or f"{kind}.{one}" in algorithms
            for one in known.split(", ")
        )


def test_names_that_are_gone_are_answered_with_what_took_their_place() -> None:
    for instance, name, other in (
        ("dps/tiny", "bwk", "simple"), ("dps/tiny", "dps.bwk", "simple"),
        ("gadget/tiny", "lp_rs_mde", "gadget with rounds=1000"),
    ):  # fmt: skip
        kind = instance.partition("/")[0]
        with pytest.raises(UnknownName, match=rf"is gone; use {kind}\.{other}$"):
            run(instance, name)
    assert not set(GONE) & set(algorithms)


def test_jobs_of_the_instance_are_left_out() -> None:
    feed = farkas.feed("dps/tiny", "dps.learned", reserve=0.0, forecast=0.0)
    assert feed.jobs == []
    assert feed.options["reserve"] == 0.0
    for job in farkas.load("dps/tiny").jobs:
        feed.step(job)
    assert feed.run() == farkas.run("dps/tiny", "dps.learned", reserve=0.0, forecast=0.0)


def test_an_algorithm_is_given_by_name_or_as_it_is() -> None:
    one = farkas.feed("gadget/demo", "gadget.las", seed=2)
    other = farkas.feed("gadget/demo", algorithms["gadget.las"], seed=2)
    assert one.step() == other.step() == []
    assert one.run() == other.run()
    assert one.run().manifest.seed == 2


def test_wrong_names_options_and_seeds_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"dps\.learned"):
        farkas.feed("dps/tiny", "dps.learnt")
    with pytest.raises(InvalidOption, match="reserve"):
        farkas.feed("dps/tiny", "dps.learned", reserves=1.0)
    with pytest.raises(InvalidOption, match="seed"):
        farkas.feed("dps/tiny", "dps.learned", seed=-1)
    with pytest.raises(InvalidOption, match="algorithm"):
        farkas.feed("dps/tiny", 3)  # type: ignore[arg-type]


def test_what_is_not_defined_is_absent_and_what_is_unknown_refused() -> None:
    found = evaluate("mlbroker/tiny", ["mlbroker.big_m_smallest", "mlbroker.oasis"])
    assert list(found) == ["mlbroker.big_m_smallest"]
    assert evaluate("mlbroker/tiny", []) == {}
    with pytest.raises(UnknownName):
        evaluate("mlbroker/tiny", "mlbroker.bigm")


def test_without_names_those_of_the_file_are_computed() -> None:
    asking = library.load("gadget/tiny").replace(expected={"gadget.fifo": {"value": 77, "tol": 0}})
    assert list(evaluate(asking)) == ["gadget.fifo"]


@pytest.mark.parametrize("keys", [3, [3], ["mlbroker.offline", None]])
def test_keys_of_a_wrong_type_are_refused_in_one_line(keys: Any) -> None:
    with pytest.raises(InvalidOption, match=r"cannot be (3|None): give str"):
        evaluate("mlbroker/tiny", keys)


def test_what_is_refuted_is_found_again(tmp_path: Any) -> None:
    found = attack("coded.simple_greedy_is_good", evaluations=400)
    assert found.found is not None
    assert found.instance is not None
    assert found.verdict.standing is Standing.REFUTED
    assert found.verdict.counterexample == "coded/greedy_trap"
    assert parts(found.instance) <= parts(library.load("coded/greedy_trap")) + 1
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


def always() -> Any:
    return held([Relation(1, "<=", 2)])


def test_what_falls_is_refuted_by_what_was_found() -> None:
    def says(one: Any) -> Any:
        return said(Relation(one.num_jobs, ">=", 2))

    fallen = Claim("mlbroker.planted", "nowhere", "two jobs", always, says)
    found = attack(fallen, evaluations=200)
    assert found.verdict.standing is Standing.REFUTED
    assert isinstance(found.verdict.counterexample, dict)
    assert found.verdict.counterexample["kind"] == "mlbroker"
    assert found.verdict.fails[0] in (Relation(0, ">=", 2), Relation(1, ">=", 2))


def test_what_breaks_other_input_is_no_instance() -> None:
    claim = Claim(
        "mlbroker.planted", "nowhere", "small", always,
        lambda one: said(Relation(one["x"], "<=", 3)), Among(samples=lambda: [{"x": 1}, {"x": 5}]),
    )  # fmt: skip
    found = attack(claim, evaluations=20)
    assert found.verdict.standing is Standing.REFUTED
    assert found.verdict.counterexample == found.found.data  # type: ignore[union-attr]
    assert found.instance is None


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (UnknownName, {"claim": "coded.nothing"}),
        (InvalidOption, {"claim": Claim("mlbroker.planted", "nowhere", "small", always)}),
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
    broken = Relation(2, "<=", 1)
    assert "all values" in why_not(proved())
    assert "assumption" in why_not(not_applicable("no"))
    assert "by hand" in why_not(refuted("gadget/shared_link", broken))
    assert "horizon, jobs" in why_not(refuted({"horizon": 1, "jobs": 3}, broken))
    assert "many runs" in why_not(held([Relation(1, "<=", 2)]))


def test_an_attack_of_a_check_that_gives_no_verdict_says_so() -> None:
    def says_nothing() -> Any:
        raise NoVerdict("no step goes through")

    claim = Claim("mlbroker.planted", "nowhere", "x", says_nothing, lambda one: None)
    with pytest.raises(NoVerdict):
        attack(claim, evaluations=1)


@pytest.mark.parametrize("slack", [0.013, 0.0, None, float("inf")])
def test_words_of_an_attack(slack: float | None) -> None:
    tried = AttackRecord(seconds=60.0, evaluations=4210, slack=slack, seed=1)
    words = str(tried)
    assert words.startswith("attacked for 60 s, 4,210 instances, ")
    least = "said of none" if slack is None else f"smallest slack {slack:.3g}"
    assert words.endswith(least)
    assert "Infinity" not in str(tried.to_builtins())
    assert library.names("gadget")
