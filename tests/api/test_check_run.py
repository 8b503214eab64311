"""A run or certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.api.check_run import RunProof
from farkas.certificates import Certificate
from farkas.errors import MissingInstance, NotACertificate
from farkas.online import Bound, Run
from farkas.replay import Replay, replays
from tests.tools.rings import slot_certificate


def changed(run: Run, **changes: object) -> Run:
    return msgspec.structs.replace(run, **changes)


@pytest.fixture(scope="module")
def cost() -> Run:
    """A minimisation whose bound, 16.8 up to rounding, is also its value."""
    return farkas.run("mlbroker/tiny", "mlbroker.fractional")


@pytest.fixture(scope="module")
def reward() -> Run:
    """A maximisation: the bound stands above the value."""
    return farkas.run("gadget/tiny", "gadget.las")


def with_bound(run: Run, exact: F) -> Run:
    return changed(run, certificate=msgspec.structs.replace(run.certificate, exact=str(exact)))


@pytest.mark.parametrize(
    ("changes", "about", "words"),
    [
        ({}, "mlbroker/surplus_worker", "the run is about"),
        ({"sense": "max"}, "mlbroker/tiny", "the run says max, its certificate min"),
        ({"certificate": None}, "mlbroker/tiny", "holds no certificate"),
    ],
)
def test_a_run_that_does_not_fit_its_instance_or_certificate_is_rejected(
    cost: Run, changes: dict[str, object], about: str, words: str
) -> None:
    with pytest.raises(NotACertificate, match=words):
        farkas.check(changed(cost, **changes), about)


def test_a_value_that_decisions_are_not_worth_is_rejected(cost: Run, reward: Run) -> None:
    for run, about in ((cost, "mlbroker/tiny"), (reward, "gadget/tiny")):
        for value in (0.0, run.value * (1 - 1e-6), run.value * (1 + 1e-6)):
            with pytest.raises(NotACertificate, match="claims the value"):
                farkas.check(changed(run, value=value, value_exact=None), about)
        with pytest.raises(NotACertificate, match="claims the exact value"):
            farkas.check(changed(run, value_exact=run.certificate.exact), about)
        with pytest.raises(NotACertificate):
            farkas.check(changed(run, decisions=[]), about)


def test_what_a_run_breaks_or_keeps_is_not_its_word(cost: Run, reward: Run) -> None:
    with pytest.raises(NotACertificate, match="replayed it keeps all"):
        farkas.check(changed(reward, violations=["something"]), "gadget/tiny")
    twice = [[*slot, *slot] for slot in reward.decisions]
    with pytest.raises(NotACertificate, match="the run says that it breaks nothing; slot"):
        farkas.check(changed(reward, decisions=twice), "gadget/tiny")
    admitted = farkas.check(
        changed(reward, decisions=twice, violations=["all"], ratio=None, value_exact=None),
        "gadget/tiny",
    )
    assert isinstance(admitted, RunProof)
    assert (admitted.ratio, admitted.value) == (None, None)
    assert "break requirements (slot 0: " in admitted.statement
    broken = changed(reward, decisions=twice, violations=["all"], ratio=None)
    for claim in ({"ratio": 1.5}, {"value_exact": reward.value_exact}):
        with pytest.raises(NotACertificate, match=r"although it breaks|and yet claims a ratio"):
            farkas.check(changed(broken, **{"value_exact": None} | claim), "gadget/tiny")


def test_a_ratio_is_the_quotient_of_what_is_proved(cost: Run, reward: Run) -> None:
    for run, about in ((cost, "mlbroker/tiny"), (reward, "gadget/tiny")):
        proof = farkas.check(run, about)
        assert isinstance(proof, RunProof)
        quotient = proof.value / proof.proof.bound
        assert proof.ratio >= max(quotient, 1 / quotient) > proof.ratio - 1e-15
        told = re.search(r"optimum: at most ([0-9.]+)\. ", proof.statement)
        assert told is not None
        assert F(told[1]) >= proof.ratio
        with pytest.raises(NotACertificate, match="claims the ratio 1,"):
            farkas.check(changed(run, ratio=1.0), about)
        # a run that claims more than it need is believed the smaller one
        assert farkas.check(changed(run, ratio=9.0), about).ratio == proof.ratio


def test_kind_and_algorithm_cannot_lend_a_run_another_evaluation(cost: Run, reward: Run) -> None:
    for changes in ({"kind": "gadget"}, {"algorithm": "gadget.las"}):
        with pytest.raises(NotACertificate):
            farkas.check(changed(cost, **changes), "mlbroker/tiny")
    other = farkas.check(changed(reward, algorithm="gadget.gadget", options={}), "gadget/tiny")
    assert other.ratio == farkas.check(reward, "gadget/tiny").ratio


def test_without_a_replay_a_value_is_the_word_of_the_run(
    reward: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays.load()
    monkeypatch.setitem(replays._items, "gadget", lambda *_: None)
    proof = farkas.check(changed(reward, value=9.0, value_exact=None), "gadget/tiny")
    assert isinstance(proof, RunProof)
    assert (proof.replayed, proof.ratio, proof.value) == (None, None, None)
    assert "says that it reached 9; that is its word." in proof.statement


def test_what_nothing_recomputes_is_the_word_of_the_file(cost: Run) -> None:
    lying = changed(cost, costs=[{"transfer": -1.0}], numbers={"x": 1.0}, remarks=["all is well"])
    proof = farkas.check(lying, "mlbroker/tiny")
    story = ("algorithm", "options", "instance", "method", "seed", "versions")
    unread = ("repaired", "gap")
    told = ("costs", "steps", "theorem", "numbers", "remarks", "timings")
    assert proof.words == (*story, *told, *unread)
    assert proof.statement.endswith(
        "Not proved, but the file's word: algorithm, options, instance, method, seed, versions, "
        "costs, steps, theorem, numbers, remarks, timings, repaired, gap."
    )
    silent = changed(cost, costs=[], steps=[], theorem="", numbers={}, remarks=[], timings={})
    assert farkas.check(silent, "mlbroker/tiny").words == (*story, *unread)


def test_a_bound_on_some_plans_alone_says_so_wherever_its_ratio_stands() -> None:
    found = farkas.compare("coded/tiny", "coded.iterated_greedy")
    assert found.proved.endswith(" (plans that dedicate workers)")
    proof = farkas.check(found.entries[0].run, "coded/tiny")
    assert "ratio of the run to the optimum of plans that dedicate workers" in proof.statement
    assert "with a probability that is not proved" in proof.statement
    every = farkas.compare("coded/tiny", ["coded.iterated_greedy", "coded.expected"])
    assert "(" not in every.proved


def test_what_is_forged_and_not_proved_is_told(cost: Run) -> None:
    assert cost.certificate is not None
    manifest = msgspec.structs.replace(
        cost.manifest, seed=7, farkas="9", solvers={"x": "1"}, policy_sha256="f" * 64
    )
    forged = changed(
        cost,
        manifest=manifest,
        instance="another",
        certificate=msgspec.structs.replace(cost.certificate, method="by luck"),
    )
    told = farkas.check(forged, "mlbroker/tiny")
    assert isinstance(told, RunProof)
    assert {"seed", "versions", "policy_sha256", "instance", "method"} <= set(told.words)
    assert told.to_builtins()["word_of_the_file"] == list(told.words)


@pytest.mark.parametrize("step", [F(1, 10**9), F(1)])
def test_a_bound_may_be_claimed_looser_and_not_tighter(cost: Run, reward: Run, step: F) -> None:
    for run, about, sign in ((cost, "mlbroker/tiny", 1), (reward, "gadget/tiny", -1)):
        bound = run.certificate.fraction
        assert farkas.check(with_bound(run, bound - sign * step), about).proof.bound == bound
        with pytest.raises(NotACertificate, match=r"the run claims the bound \S+, it proves \S+$"):
            farkas.check(with_bound(run, bound + sign * step), about)


def test_a_claim_that_no_double_holds_is_refused(cost: Run) -> None:
    with pytest.raises(NotACertificate, match=r"claims the bound 10{36}\.\.\."):
        farkas.check(with_bound(cost, F(10**400)), "mlbroker/tiny")


def bounded_by(run: Run, certificate: Certificate) -> Run:
    """The run with another certificate, honestly quoted."""
    plain = msgspec.to_builtins(certificate)
    return changed(run, certificate=Bound.of(F(certificate.bound), "another program", plain))


@pytest.mark.parametrize(
    ("algorithm", "program"),
    [
        ("gadget.fifo", "one slot"),
        ("dps.pa", "dps.interval_lp[fixed]"),
        ("dps.pa", "dps.interval_lp[capped]"),
        ("gadget.gadget", "gadget.offline_bound"),  # exact rewards may exceed its doubles
    ],
)
def test_what_does_not_bound_runs_is_no_bound_of_one(algorithm: str, program: str) -> None:
    kind = algorithm.partition(".")[0]
    name = f"{kind}/tiny"
    if program == "one slot":
        other = slot_certificate(farkas.load(name))
    else:
        other = farkas.solve(name, program, certify=True).certificate
    farkas.check(other, name)  # honest by itself
    with pytest.raises(
        NotACertificate, match=f"not listed among what bounds the runs of kind {kind}"
    ):
        farkas.check(bounded_by(farkas.run(name, algorithm), other), name)


def test_strict_semantics_bound_only_runs_that_keep_them() -> None:
    name = "mlbroker/tiny"
    printed = farkas.run(name, "mlbroker.fractional", semantics="printed")
    strict = farkas.run(name, "mlbroker.fractional", semantics="strict")
    assert isinstance(farkas.check(strict, name), RunProof)
    with pytest.raises(NotACertificate, match=r"does not bound runs of .* with these options"):
        farkas.check(changed(printed, certificate=strict.certificate), name)
    assert isinstance(
        farkas.check(changed(strict, certificate=printed.certificate, ratio=1.1), name), RunProof
    )


def test_what_is_missing_is_named_as_python_writes_it(cost: Run) -> None:
    assert farkas.check(cost).ratio == cost.ratio  # its instance ships
    other = msgspec.structs.replace(cost.manifest, instance_sha256="0" * 64)
    with pytest.raises(MissingInstance, match=r"about an instance; give it: instance="):
        farkas.check(changed(cost, instance="mine"))
    with pytest.raises(MissingInstance, match=r"not about .* as it ships; give it: instance="):
        farkas.check(changed(cost, manifest=other))


def test_every_number_is_told_on_its_proved_side(cost: Run, reward: Run) -> None:
    third = F(1, 3)
    for run, about in ((cost, "mlbroker/tiny"), (reward, "gadget/tiny")):
        least, proof = run.sense == "min", farkas.check(run, about)
        assert isinstance(proof, RunProof)
        found = dataclasses.replace(
            proof,
            replayed=Replay(third, third, excess=third, note="A note."),
            ratio=1.000000001,
        )
        said = found.to_builtins()
        assert (F(said["value"]) > third) == least
        assert F(said["excess"]) > third
        assert said["value_is_recomputed"]
        low, high = "0.333333333", "0.333333334"
        assert found.statement.partition("Replayed")[2].partition("Not proved")[0] == (
            " in exact arithmetic, the decisions of the run that the file calls"
            f" {run.algorithm} {f'cost at most {high}' if least else f'earn at least {low}'}"
            " and keep every requirement within a share of 0.34.  A note."
            "  Proved ratio of the run to the optimum: at most 1.00000001."
            "  "
        )
        exactly = dataclasses.replace(found, replayed=Replay(third, third))
        assert "keep every requirement exactly." in exactly.statement


def test_without_a_value_nothing_is_worth_anything(cost: Run) -> None:
    proof = farkas.check(cost, "mlbroker/tiny")
    assert isinstance(proof, RunProof)
    broken = dataclasses.replace(proof, replayed=Replay(F(1), F(1), broken=("one", "two")))
    said = broken.to_builtins()
    assert (said["value"], said["broken"], said["value_is_recomputed"]) == (
        None, ["one", "two"], True
    )  # fmt: skip
    assert "break requirements (one): there is no ratio" in broken.statement
    # what the run itself calls broken has no value, although it would count as kept
    admitted = dataclasses.replace(proof, run=changed(cost, violations=["nearly"]))
    assert (admitted.value, admitted.to_builtins()["broken"]) == (None, [])
    assert "break requirements (by what would otherwise count as kept)" in admitted.statement
    word = dataclasses.replace(proof, replayed=None).to_builtins()
    assert (word["value_is_recomputed"], word["excess"], word["broken"]) == (False, None, [])


def test_who_earns_nothing_has_no_ratio_to_claim() -> None:
    run = farkas.run("dps/tiny", "dps.dps")
    assert (run.value, run.ratio) == (0, None)
    proof = farkas.check(run, "dps/tiny")
    assert isinstance(proof, RunProof)
    assert proof.ratio is None
    with pytest.raises(NotACertificate, match="the run claims the ratio 5, proved is None"):
        farkas.check(changed(run, ratio=5.0), "dps/tiny")


def test_a_refusal_says_what_is_proved_on_its_proved_side(
    reward: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = farkas.check(reward, "gadget/tiny").proof
    for sense, claimed, words in (("max", F(1, 4), "0.333333334"), ("min", F(1, 2), "0.333333333")):
        proof = dataclasses.replace(honest, sense=sense, bound=F(1, 3))
        monkeypatch.setattr("farkas.api.check_run.proof_of", lambda *_, said=proof: said)
        bound = msgspec.structs.replace(reward.certificate, exact=str(claimed))
        false = changed(reward, certificate=bound)
        with pytest.raises(NotACertificate, match=f"bound {float(claimed)}, it proves {words}$"):
            farkas.check(false, "gadget/tiny")


def test_what_breaks_by_its_own_word_has_no_ratio(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = farkas.check(cost, "mlbroker/tiny")
    assert isinstance(honest, RunProof)
    monkeypatch.setattr("farkas.api.check_run.audit", lambda *_: honest.replayed)
    for violations, ratio in (([], honest.ratio), (["nearly"], None)):
        found = farkas.check(changed(cost, violations=violations, ratio=None), "mlbroker/tiny")
        assert isinstance(found, RunProof)
        assert found.ratio == ratio


def test_a_record_of_a_slot_that_holds_no_number_is_refused(cost: Run) -> None:
    wrong = [msgspec.structs.replace(cost.steps[0], bound_so_far="x"), *cost.steps[1:]]
    with pytest.raises(NotACertificate, match="record of a slot"):
        farkas.check(changed(cost, steps=wrong), "mlbroker/tiny")
