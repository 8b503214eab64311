"""What was proved: how it shows itself, what it gives away, and what it refuses to."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import msgspec
import pytest

import farkas
from farkas.certificates.proof import rounded
from farkas.certificates.tree import TreeCertificate
from farkas.errors import InvalidOption, NoAnswer, NotACertificate
from farkas.exact.from_doubles import boxed
from farkas.exact.result import MOST_NODES, ProofResult
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm
from farkas.solvers import Answer, Conclusion, Reason
from farkas.tolerances import SOLVER_GAP
from tests.exact.test_tree import tied
from tests.generators.rational import program


def corner() -> RationalForm:
    """min a + 2 b + 1/2, 3 a + 3 b >= 1: 5/6 at a = 1/3."""
    form = program([[3, 3]], cost=[1, 2], rows=[(1, None)], offset="1/2")
    return form.replace(name="corner", row_names=("need",), column_names=("a", "b"))


def empty() -> RationalForm:
    """a + b <= 3 and a + b >= 5."""
    form = program([[1, 1], [1, 1]], cost=[1, 1], rows=[(5, None), (None, 3)])
    return form.replace(name="empty", row_names=("need", "cap"), column_names=("a", "b"))


def endless(whole: int = 0) -> RationalForm:
    """max a + 7 with a >= 2."""
    form = program([[1]], cost=[1], rows=[(2, None)], sense="max", offset=7, whole=[whole])
    return form.replace(name="endless", column_names=("a",))


def test_a_line_says_what_was_proved_and_why_there_is_no_point() -> None:
    assert repr(prove_form(corner())) == (
        "<proved of corner: optimal, value 5/6, about 0.833333333333, bound 5/6,"
        " about 0.833333333333>"
    )
    found = prove_form(empty())
    assert found.explanation == "row need: >= 5; row cap: <= 3"
    assert repr(found) == "<proved of empty: infeasible, by row need: >= 5; row cap: <= 3>"
    assert prove_form(corner()).explanation is None
    large = ProofResult(form=empty(), status="infeasible", nodes=MOST_NODES + 1,
                   certificate=found.certificate)  # fmt: skip
    assert repr(large) == "<proved of empty: infeasible, by a tree of 1001 nodes>"
    rows = tuple(f"a_row_of_a_long_name_{i}" for i in range(60))
    chain = program([[(j == i) - (j == i - 1) for j in range(60)] for i in range(60)],
                    cost=[0] * 60, rows=[(1, None)] * 60, ends=[(0, 59)] * 60)  # fmt: skip
    long = prove_form(chain.replace(row_names=rows))
    assert long.explanation is not None
    assert len(long.explanation) > 1000
    assert len(repr(long)) < 400


def test_certificates_are_short_lines_and_tables() -> None:
    lines = {
        "tree, optimal": (corner(), "tree about corner: claims bound 5/6, value 5/6"),
        "tree, infeasible": (empty(), "tree about empty: claims infeasible"),
        "direction": (endless(), "unbounded about endless: claims unbounded, value 9"),
    }
    for form, line in lines.values():
        held = prove_form(form).certificate
        assert repr(held) == f"<certificate of type {line}>"
        page = held._repr_html_()  # type: ignore[union-attr]
        assert f"<caption>certificate of type {line}</caption>" in page
    held = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True).certificate
    assert repr(held).startswith("<certificate of type linear about mlbroker.relaxed")
    assert len(repr(held)) < 120


def test_a_notebook_shows_a_table() -> None:
    page = prove_form(corner())._repr_html_()
    assert "<tr><td>status</td><td>optimal</td></tr>" in page
    # doubles are rounded so that both stay true of a minimum: the value upwards, the bound down
    assert "<td>0.8333333333333334</td>" in page
    assert "<td>0.8333333333333333</td>" in page


@pytest.mark.parametrize("whole", [0, 1])
def test_an_unbounded_program_has_a_point_and_no_value(whole: int) -> None:
    found = prove_form(endless(whole))
    assert (found.status, found.value, found.bound) == ("unbounded", None, None)
    assert repr(found) == "<proved of endless: unbounded>"
    assert found.point is not None
    assert found.point_value == found.point[0] + 7 >= 9
    assert found.values() == {"a": found.point[0]}
    shown = found.to_builtins(point=True)
    assert (shown["value"], shown["value_exact"]) == (None, None)
    assert F(shown["point"]["a"]) == found.point[0]
    proof = found.verify()
    assert proof.unbounded
    assert proof.value == found.point_value


def test_values_need_a_point() -> None:
    found = prove_form(empty())
    for ask in (found.values, found.to_frame):
        with pytest.raises(NoAnswer, match="empty is infeasible, by row need: >= 5; row cap: <= 3"):
            ask()
    assert found.to_builtins(point=True)["point"] == {}
    with pytest.raises(NoAnswer, match="no point of corner is known"):
        ProofResult(form=corner(), status="bound", bound=F(0)).values()


def test_a_frame_holds_the_fractions_too() -> None:
    frame = prove_form(corner()).to_frame()
    rows = frame if isinstance(frame, list) else frame.to_dict("records")
    assert rows == [{"variable": "a", "value": 1 / 3, "exact": "1/3"}]


@pytest.mark.parametrize("form", [corner(), empty(), endless()])
def test_verify_proves_it_again_about_the_program(form: RationalForm, tmp_path: Path) -> None:
    found = prove_form(form)
    proof = found.verify()
    assert (proof.bound, proof.infeasible, proof.unbounded) == (
        found.bound, found.status == "infeasible", found.status == "unbounded"
    )  # fmt: skip
    assert farkas.check(found).statement == proof.statement
    path = tmp_path / "proof.json"
    found.save(path)
    assert farkas.check(path).bound == proof.bound
    # of another program the same certificate proves nothing
    changed = form.replace(cost=tuple(2 * c for c in form.cost))
    wrong = ProofResult(form=changed, status=found.status, certificate=found.certificate)
    with pytest.raises(NotACertificate):
        wrong.verify()


def test_nothing_proved_is_nothing_to_verify_or_save(tmp_path: Path) -> None:
    found = ProofResult(form=corner(), status="bound")
    for ask in (found.verify, lambda: farkas.check(found)):
        with pytest.raises(NoAnswer, match="nothing was proved of corner"):
            ask()
    with pytest.raises(NoAnswer, match="nothing was proved of corner to write"):
        found.save(tmp_path / "x.json")
    with pytest.raises(InvalidOption, match="no proof of unboundedness"):
        prove_form(endless()).save(tmp_path / "x.vipr")
    assert not list(tmp_path.iterdir())


def between(value: F | None, bound: F | None, sense: str = "min", **more: Any) -> ProofResult:
    """What was proved when a limit came first."""
    form = corner().replace(sense=sense)
    return ProofResult(form=form, status="bound", value=value, bound=bound, **more)


@pytest.mark.parametrize("sign", [1, -1])
def test_within_is_a_share_of_the_value_and_the_gap_one_of_the_larger(sign: int) -> None:
    # 4 and 3, 4 and 5: they are a quarter of the value apart, and a quarter or fifth of the larger
    for bound, share in ((F(3), F(1, 4)), (F(5), F(1, 5))):
        found = between(sign * F(4), sign * bound)
        assert found.within(0.25)
        assert not found.within(math.nextafter(0.25, 0))
        assert found.gap is not None
        assert F(math.nextafter(found.gap, 0)) < share <= F(found.gap)
    assert between(F(0), F(0)).gap == 0
    assert between(F(0), F(0)).within(0.0)
    for lacking in (between(None, F(1)), between(F(1), None)):
        assert lacking.gap is None
        assert not lacking.within(9.0)


def test_value_and_bound_are_told_on_their_proved_sides() -> None:
    third = F(1, 3)
    least, most = between(third, third), between(third, third, "max")
    assert least.statement == (
        "The optimal value of corner, read as decimals,"
        " is at least 0.333333333 and at most 0.333333334."
    )
    assert most.statement == (
        "The optimal value of corner, read as decimals,"
        " is at most 0.333333334 and at least 0.333333333."
    )
    assert between(None, None).statement.endswith("is not bounded so far.")
    for found, up in ((least, False), (most, True)):
        said = found.to_builtins()
        assert (said["bound_exact"], said["value_exact"]) == ("1/3", "1/3")
        assert (F(said["bound"]) > third) == up
        assert said["value"] == 1 / 3


def claiming(status: Any, value: F | None, claim: Conclusion, objective: float) -> str | None:
    answer = Answer(solver="s", claim=claim, objective=objective)
    return ProofResult(form=corner(), status=status, value=value, answer=answer).claim


@pytest.mark.parametrize("sign", [1, -1])
def test_a_claim_is_off_by_a_share_of_the_larger(sign: int) -> None:
    def said(value: F, objective: float) -> str | None:
        return claiming("optimal", sign * value, Conclusion.OPTIMAL, sign * objective)

    minus = "-" if sign < 0 else ""
    assert said(F(4), 4.0) == f"s says optimal at {minus}4, which is right"
    # shares of 1/5 and 1/3 in two digits, rounded up
    assert said(F(4), 5.0) == f"s says optimal at {minus}5, which is wrong by 0.2 of it"
    assert said(F(3), 2.0) == f"s says optimal at {minus}2, which is wrong by 0.34 of it"
    off = F(4) * (1 + F(SOLVER_GAP) / 2)
    share = rounded(1 - 4 / off, up=True, digits=2)
    assert said(off, 4.0) == f"s says optimal at {minus}4, which is right within {share} of it"
    assert "which is wrong by" in str(said(F(4) * (1 + 2 * F(SOLVER_GAP)), 4.0))
    # of 1 and 1 + gap the share of the larger is within the gap, that of the smaller is not
    edge = 1 + F(SOLVER_GAP) * (1 + F(SOLVER_GAP) / 2)
    assert "which is right within" in str(said(edge, 1.0))


def test_an_answer_that_was_rejected_says_why() -> None:
    words = "the point called optimal is off by 0.5 in c"
    for reason, message, said in (
        (Reason.NUMERICAL, words, f"s claims nothing that holds: {words}"),
        (Reason.NUMERICAL, "", None),
        (Reason.TIME_LIMIT, "Time limit reached", None),
    ):
        answer = Answer(solver="s", reason=reason, message=message)
        found = ProofResult(form=corner(), status="optimal", value=F(1), answer=answer)
        assert found.claim == said
        assert found.to_builtins()["claim"] == said


def test_claims_are_right_where_the_same_was_proved() -> None:
    assert claiming("bound", None, Conclusion.NONE, 0.0) is None
    for claim in (Conclusion.INFEASIBLE, Conclusion.UNBOUNDED):
        other = "unbounded" if claim is Conclusion.INFEASIBLE else "infeasible"
        assert claiming("bound", None, claim, 0.0) == f"s says {claim}; that is not proved"
        assert claiming(str(claim), None, claim, 0.0) == f"s says {claim}, which is right"
        assert claiming(other, None, claim, 0.0) == (
            f"s says {claim}, which is wrong: proved {other}"
        )
        assert claiming(str(claim), None, Conclusion.OPTIMAL, 2.0) == (
            f"s says optimal at 2, which is wrong: proved {claim}"
        )
    assert claiming("bound", F(3), Conclusion.OPTIMAL, 2.0) == "s says optimal at 2"
    assert claiming("optimal", F(3), Conclusion.FEASIBLE, 2.0) == "s says feasible at 2"


def test_values_name_nothing_that_a_package_added_and_keep_their_sign() -> None:
    point = [F(-1), F(2)]
    found = ProofResult(form=corner(), status="bound", point=point)
    assert found.values() == {"a": -1, "b": 2}
    added = ProofResult(
        form=corner().replace(auxiliary=frozenset({1})), status="bound", point=point
    )
    assert added.values() == {"a": -1}
    assert added.to_builtins(point=True)["point"] == {"a": "-1"}
    assert added.point_value == found.point_value == -1 + 4 + F(1, 2)


@pytest.mark.parametrize(("goal", "relation", "value", "bound"), [
    ("min", ">=", "0.666666667", "0.666666666"), ("max", "<=", "0.666666666", "0.666666667"),
])  # fmt: skip
def test_a_summary_cuts_digits_to_the_side_that_stays_true(
    goal: str, relation: str, value: str, bound: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.lp"
    path.write_text(f"{goal}\n obj: 2 x\nst\n c: 3 x {relation} 1\nend\n")
    for found in (farkas.prove(path), farkas.solve(path, certify=True)):
        lines = dict(line.split(None, 1) for line in found.summary().splitlines())
        assert (lines["objective:"], lines["bound:"]) == (value, bound)


def test_numbers_beyond_doubles_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text("max\n obj: 1e300 x\nst\n c: 1e-300 x <= 1\nend\n")
    found = farkas.prove(path)
    assert found.duals == {"c": 10**600}
    assert "1E+600" in found.summary()


def test_duals_have_any_number_of_digits() -> None:
    found = prove_form(corner())
    held = found.certificate
    assert isinstance(held, TreeCertificate)
    (weights,), more = held.weights, 5000 * "0"  # more digits than int() takes
    long = msgspec.structs.replace(
        weights,
        denominator=weights.denominator + more,
        factors=[(i, factor + more) for i, factor in weights.factors],
    )
    longer = dataclasses.replace(found, certificate=msgspec.structs.replace(held, weights=(long,)))
    assert longer.duals == found.duals
    assert any(found.duals.values())


def test_a_program_within_other_ends_is_the_same_in_doubles() -> None:
    form = tied()
    lower, upper = (F(1, 3), None, F(0), F(1)), (F(2), F(3), None, F(1))
    found = boxed(form, lower, upper)
    plain = form.replace(lower=lower, upper=upper)
    assert (found.lower, found.upper) == (lower, upper)
    assert found.linear.sha256 == plain.linear.sha256
    assert found.sha256 == plain.sha256
