"""Statements of a gap: what is proved, and what forged ones are refused for."""

from __future__ import annotations

import functools
import hashlib
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.adversary.gap import (
    UNBOUNDED,
    Decisions,
    Gap,
    GapProof,
    from_json,
    prove_gap,
    ratio_of,
    replayed,
)
from farkas.adversary.scoring import Scorer
from farkas.adversary.shape import plain_of
from farkas.api.check import opened
from farkas.api.worst import worst
from farkas.errors import FileProblem, InvalidInstance, NotACertificate
from farkas.instances import Instance
from farkas.instances.coded import CodedComputing
from farkas.online.driver import algorithms


@functools.cache
def found(name: str = "mlbroker.local") -> Gap:
    return worst(name, evaluations=30).gap


def altered(gap: Gap, **changes: object) -> Gap:
    """Read the statement with some fields replaced, as a forged file would hold it."""
    data = msgspec.to_builtins(gap)
    for path, value in changes.items():
        *way, last = path.split("__")
        held = data
        for step in way:
            held = held[step]
        held[last] = value
    return from_json(msgspec.json.encode(data), "forged")


def test_a_larger_ratio_than_proved_is_refused() -> None:
    gap = found()
    ratio = Fraction(gap.ratio)
    assert prove_gap(altered(gap, ratio=str(ratio * (1 - Fraction(1, 10**9))))).ratio == ratio
    with pytest.raises(NotACertificate, match="claimed is the ratio"):
        prove_gap(altered(gap, ratio=str(ratio * (1 + Fraction(1, 10**9)))))
    with pytest.raises(NotACertificate, match="unbounded"):
        prove_gap(altered(gap, ratio="unbounded"))


POLICY = """
import farkas

class Idle(farkas.Policy):
    '''Runs nothing.'''

    kind = "gadget"

    def step(self, state, arrivals):
        return state, []
"""


def test_a_statement_about_somebodys_policy_is_proved_where_nobody_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, written = tmp_path / "mine.py", tmp_path / "worst.json"
    file.write_text(POLICY)
    gap = worst(f"{file}:Idle", "gadget/tiny", evaluations=3).gap
    gap.write(str(written))
    monkeypatch.setattr(algorithms, "own", {})  # as in another process
    proof = farkas.check(written)
    assert isinstance(proof, GapProof)
    assert (proof.value, proof.ratio) == (0, None)
    digest = hashlib.sha256(POLICY.encode()).hexdigest()
    assert f"gadget.Idle (a policy of a file of sha256 {digest[:12]}...)" in proof.statement
    assert "the file's gadget.Idle" in farkas.plot(written).title
    nameless = altered(gap)
    nameless = msgspec.structs.replace(
        nameless, reached=msgspec.structs.replace(nameless.reached, policy_sha256=msgspec.UNSET)
    )
    with pytest.raises(NotACertificate, match="is no algorithm of kind gadget"):
        prove_gap(nameless)


@pytest.mark.slow
def test_sides_may_not_be_exchanged_for_a_better_ratio() -> None:
    gap = found()
    data = msgspec.to_builtins(gap)
    data["reached"], data["witness"] = data["witness"], data["reached"]
    forged = from_json(msgspec.json.encode(data), "forged")
    with pytest.raises(NotACertificate):
        prove_gap(forged)


@pytest.mark.slow
def test_names_of_nobody_of_other_problems_and_of_relaxations_are_refused() -> None:
    gap = found()
    for side in ("reached", "witness"):
        with pytest.raises(NotACertificate, match="no algorithm of kind mlbroker"):
            prove_gap(altered(gap, **{f"{side}__algorithm": "mlbroker.nobody"}))
        with pytest.raises(NotACertificate, match="no algorithm of kind mlbroker"):
            prove_gap(altered(gap, **{f"{side}__algorithm": "eris.eris"}))
    with pytest.raises(NotACertificate, match="no solutions"):
        prove_gap(altered(gap, witness__algorithm="mlbroker.fractional"))
    with pytest.raises(NotACertificate, match="no algorithm"):  # a search decides nothing online
        prove_gap(altered(gap, reached__algorithm="mlbroker.optimum"))
    coded = found("coded.simple_greedy")
    for side in ("reached", "witness"):
        with pytest.raises(NotACertificate, match="different problems"):
            prove_gap(altered(coded, **{f"{side}__algorithm": "coded.chance_search"}))


def test_another_instance_is_refused() -> None:
    gap = found()
    same = prove_gap(gap).instance
    assert farkas.check(gap, same).ratio == Fraction(gap.ratio)
    with pytest.raises(NotACertificate, match="the instance hashes to"):
        farkas.check(gap, farkas.load("mlbroker/tiny"))
    with pytest.raises(InvalidInstance, match="instance of the statement"):
        prove_gap(altered(gap, instance__num_slots=0))


@pytest.mark.slow
def test_a_witness_that_breaks_requirements_is_refused() -> None:
    gap = found("gadget.drf")
    assert any(gap.witness.decisions)
    crowded = [decision + decision for decision in gap.witness.decisions]
    forged = altered(gap, witness__decisions=crowded)
    with pytest.raises(NotACertificate):
        prove_gap(forged)


def test_a_statement_is_told_from_runs_and_certificates(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "gap.json"
    found().write(str(path))
    assert opened(path) == found()
    assert farkas.check(path).ratio == farkas.check(found()).ratio  # type: ignore[union-attr]
    for wrong in (b'{"statement": "gap"}', b'{"statement": 3}', path.read_bytes()[:-3]):
        path.write_bytes(wrong)
        with pytest.raises(FileProblem):
            opened(path)


def test_ratios_of_zeros_and_of_losses() -> None:
    zero, one = Fraction(0), Fraction(1)
    assert ratio_of("max", zero, one) is None
    assert ratio_of("min", one, zero) is None
    assert ratio_of("min", zero, zero) == ratio_of("max", zero, zero) == 1
    assert ratio_of("max", one, zero) == 0
    assert ratio_of("max", 2 * one, 3 * one) == Fraction(3, 2)
    assert ratio_of("min", 2 * one, 3 * one) == Fraction(2, 3)
    for value, witness in ((-one, one), (one, -one)):
        with pytest.raises(NotACertificate, match="negative"):
            ratio_of("max", value, witness)


@pytest.mark.slow
def test_options_are_those_that_the_algorithm_has() -> None:
    gap = found("gadget.gadget")
    words = prove_gap(gap).statement
    assert words.isprintable()
    assert "that it says gadget.gadget takes" in words
    assert "slots=lp_rs_mde" in words
    fewer = {name: value for name, value in gap.reached.options.items() if name != "slots"}
    for options in (fewer, {"x\n": "y\x1b"}, gap.reached.options | {"slots": "none"}):
        with pytest.raises(NotACertificate):
            prove_gap(altered(gap, reached__options=options))


def test_decisions_need_all_fields() -> None:
    with pytest.raises(TypeError):
        Decisions(algorithm="a", kind="b")  # type: ignore[call-arg]


def never() -> tuple[Instance, Decisions, Decisions]:
    """Three masters and equal workers, all of which the printed search gives to the first."""
    instance = CodedComputing.build(
        success_probability=0.98, masters=[{"rows": 20}] * 3, workers=4,
        rate=[[1.0] * 4] * 3, shift=[[1.0] * 4] * 3,
    )  # fmt: skip
    scored = Scorer(algorithms["coded.iterated_greedy"], {}).score(instance)
    assert scored is not None
    return instance, scored.reached, scored.witness


def test_decisions_that_never_end_are_infinitely_far() -> None:
    instance, reached, witness = never()
    data = {"farkas": 1, "kind": "coded", **plain_of(instance)}
    gap = Gap(instance=data, seed=0, reached=reached, witness=witness, ratio=UNBOUNDED)
    proof = prove_gap(gap)
    assert proof.value is None
    assert proof.ratio is None
    assert "never end; others" in proof.statement
    told = proof.to_builtins()
    assert (told["value"], told["value_exact"]) == (None, "infinite")
    assert told["ratio_at_least"] == UNBOUNDED
    # two identical finite sides are no gap, and what never ends witnesses nothing
    with pytest.raises(NotACertificate, match="claimed is an unbounded ratio"):
        prove_gap(msgspec.structs.replace(gap, reached=_as(witness, reached)))
    with pytest.raises(NotACertificate, match="the witness breaks requirements"):
        prove_gap(msgspec.structs.replace(gap, witness=reached))


def test_what_ends_after_more_time_than_doubles_hold_is_not_endless() -> None:
    # 2e7 rows of one worker: half of them are there at 2e7 (1e5 + 1e305 ln 2) = 1.4e312
    instance = CodedComputing.build(
        success_probability=0.98, masters=[{"rows": 10**7}], workers=2,
        rate=[[1.0, 1e-305]], shift=[[1.0, 1e5]],
    )  # fmt: skip
    _, reached, _ = never()
    late = msgspec.structs.replace(
        reached, decisions=[{"share": [[0.0, 1.0]], "loads": [[0.0, 2e7]]}]
    )
    with pytest.raises(NotACertificate, match="beyond any double"):
        replayed(late, instance)


@pytest.mark.parametrize("claimed", ["hello", "", "-3", "1/0"])
@pytest.mark.parametrize("endless", [False, True])
def test_a_claimed_ratio_is_a_number_that_is_not_negative(claimed: str, endless: bool) -> None:
    gap = found()
    if endless:
        instance, reached, witness = never()
        data = {"farkas": 1, "kind": "coded", **plain_of(instance)}
        gap = Gap(instance=data, seed=0, reached=reached, witness=witness, ratio=UNBOUNDED)
    with pytest.raises((NotACertificate, FileProblem)):
        prove_gap(altered(gap, ratio=claimed))


def test_plans_that_break_something_else_are_not_endless() -> None:
    instance, reached, witness = never()
    (plan,) = reached.decisions
    shared = [[2.0 * share for share in row] for row in plan["share"]]
    broken = msgspec.structs.replace(reached, decisions=[plan | {"share": shared}])
    data = {"farkas": 1, "kind": "coded", **plain_of(instance)}
    with pytest.raises(NotACertificate, match="shared out too often"):
        prove_gap(Gap(instance=data, seed=0, reached=broken, witness=witness, ratio=UNBOUNDED))


def _as(decided: Decisions, other: Decisions) -> Decisions:
    return msgspec.structs.replace(other, decisions=decided.decisions)


def test_an_infinite_cost_is_infinitely_far_and_no_reward_is_infinite() -> None:
    assert ratio_of("min", None, Fraction(3)) is None
    with pytest.raises(NotACertificate, match="not infinite"):
        ratio_of("max", None, Fraction(3))
