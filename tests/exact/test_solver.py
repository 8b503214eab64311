"""What is proved, and what is said of it."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import signal
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from farkas.certificates import Proof, check
from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr import write_vipr_tree
from farkas.certificates.vipr_check import check_vipr
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact import solver as exact_solver
from farkas.exact import tree
from farkas.exact.result import ProofResult
from farkas.exact.solver import exact_answer, optimum, prove_form
from farkas.forms import LinearForm, Sense
from farkas.forms.rational import RationalForm
from farkas.solvers import Answer, solve
from farkas.solvers.answer import Conclusion
from farkas.standalone.checker import check_file
from tests.generators.forms import small
from tests.generators.rational import keeps, program, random_linear
from tests.generators.without_ends import FigureOutcome, Found, ranges, rays


def consent(found: ProofResult) -> None:
    """The checker proves the same from the file alone."""
    assert found.certificate is not None
    proof = check(found.certificate)
    value = found.point_value if found.status == "unbounded" else found.value
    assert (proof.bound, proof.value) == (found.bound, value)
    assert proof.infeasible is (found.status == "infeasible")
    assert proof.unbounded is (found.status == "unbounded")


def test_what_was_searched_for_hours_is_checked_as_long_as_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed = []
    plain = TreeCertificate.prove_of

    def watched(self: TreeCertificate, *args: Any) -> Proof:
        allowed.extend(args[2:])
        return plain(self, *args)

    monkeypatch.setattr(TreeCertificate, "prove_of", watched)
    prove_form(program([[2]], cost=[-1], rows=[(None, 3)], ends=[(0, 4)], whole=[1]))
    assert allowed == [math.inf]


def test_every_status_of_linear_programs() -> None:
    seen = set()
    for seed in range(60):
        found = prove_form(random_linear(seed))
        consent(found)
        seen.add(found.status)
        assert found.gap == (0.0 if found.status == "optimal" else None)
        assert found.nodes == 1
    assert seen == {"optimal", "infeasible", "unbounded"}


@pytest.mark.parametrize(("form", "status"), [
    (program([[2, -2]], cost=[-1, 0], rows=[(0, 1)], whole=[1, 1]), "unbounded"),
    (program([[2, -2]], cost=[-1, 0], rows=[("1/2", "3/2")], whole=[1, 1]), "infeasible"),
    (program([[2, -2], [1, 0]], cost=[-1, 0], rows=[(0, 1), (None, 9)], whole=[1, 1]), "optimal"),
    (program([[1, 1]], cost=[-1, 1], rows=[(0, None)], ends=[(None, None)] * 2, whole=[1, 0]),
     "unbounded"),
])  # fmt: skip
def test_integer_programs_with_endless_columns(form: RationalForm, status: str) -> None:
    found = prove_form(form, time_limit=20)
    assert found.status == status
    consent(found)


@pytest.mark.parametrize("solver", ["highs", "scip", "clarabel"])
def test_another_solver_changes_nothing_of_the_optimum(solver: str) -> None:
    for seed in (1, 4, 9, 12, 20, 33):
        form = random_linear(seed)
        expected = prove_form(form)
        found = prove_form(form, solver=solver)
        assert (found.status, found.value, found.solver) == (
            expected.status,
            expected.value,
            solver,
        )


def test_a_claim_is_held_against_what_is_proved() -> None:
    form = program([[2, 3]], cost=[-2, -3], rows=[(None, "19/2")], ends=[(0, 3)] * 2, whole=[1, 1])
    found = prove_form(form)
    assert found.claim == "highs says optimal at -9, which is right"
    truth = solve(form.linear)
    told = prove_form(form, answer=dataclasses.replace(truth, objective=-8.0))
    assert told.value == -9
    assert told.claim is not None
    assert "which is wrong by 0.12 of it" in told.claim
    # who claims a point alone is neither right nor wrong, whatever is proved
    some = dataclasses.replace(truth, objective=-8.0, claim=Conclusion.FEASIBLE)
    assert prove_form(form, answer=some).claim == f"{truth.solver} says {some.claim} at -8"
    bound = dataclasses.replace(found, status="bound")
    assert bound.claim == "highs says optimal at -9"
    empty = dataclasses.replace(found, status="infeasible", value=None)
    assert empty.claim == "highs says optimal at -9, which is wrong: proved infeasible"


def test_at_a_limit_bound_and_point_stay_proved() -> None:
    form = program(
        [[3 * k % 17 + 2 for k in range(16)], [5 * k % 13 + 3 for k in range(16)]],
        cost=[-(7 * k % 19) - 5 for k in range(16)], rows=[(None, 61), (None, 57)],
        ends=[(0, 3)] * 16, whole=[1] * 16,
    )  # fmt: skip
    best = prove_form(form).value
    assert best is not None
    for limit in (1e-9, 1e-3, 5e-3, 2e-2):
        found = prove_form(form, time_limit=limit)
        assert found.bound is None or found.bound <= best
        assert found.value is None or found.value >= best
        if found.point is not None:
            assert keeps(form, found.point)
            assert form.objective(found.point) == found.value
        if found.certificate is not None:
            consent(found)
        if found.status == "bound" and found.bound is not None:
            assert found.statement.startswith(
                "The optimal value of small, read as decimals, is at least "
            )


def test_a_search_leaves_the_checker_its_part_of_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    form = program([[3, 5]], cost=[-2, -3], rows=[(None, 7)], ends=[(0, 9)] * 2, whole=[1, 1])
    seen: list[float] = []
    search = exact_solver.search

    def watched(form: RationalForm, **options: Any) -> Any:
        seen.append(options["deadline"].left)
        return search(form, **options)

    monkeypatch.setattr(exact_solver, "search", watched)
    for limit in (1000.0, None):
        assert prove_form(form, time_limit=limit).status == "optimal"
    # at least three tenths are left to the checker, and little of the rest is gone
    assert 600 < seen[0] <= 700
    assert seen[1] == math.inf


def test_a_linear_program_out_of_time_has_what_its_bounds_prove() -> None:
    form = program([[1, 1]], cost=[1, 2], rows=[(1, None)], ends=[(0, 5), (1, 5)])
    found = prove_form(form, time_limit=1e-9)
    assert found.status == "bound"
    assert found.bound == 2
    consent(found)


def test_words() -> None:
    form = program([[3]], cost=[1], rows=[(1, None)])
    assert (
        prove_form(form).statement
        == "The optimal value of small, read as decimals, is 1/3, about 0.333333333333."
    )
    read = "small, read as decimals,"
    assert prove_form(form.replace(upper=(F(0),))).statement == f"{read} has no point."
    assert prove_form(form.replace(sense="max")).statement == f"{read} is unbounded."
    binary = prove_form(form.replace(numbers="binary")).statement
    assert binary.startswith("The optimal value of small, read as doubles, is 1/3")
    sly = form.replace(name='x has no point.  Proved: "y')
    assert '"x has no point.  Proved: \\"y", read as decimals,' in prove_form(sly).statement


def test_what_the_checker_does_not_accept_is_not_called_proved(monkeypatch) -> None:
    form = program([[3]], cost=[1], rows=[(1, None)])
    truth = exact_solver.one_leaf
    monkeypatch.setattr(
        exact_solver,
        "one_leaf",
        lambda weights, bound, value, point: truth(weights, F(1, 2), value, point),
    )
    with pytest.raises(NotACertificate):
        prove_form(form)


def test_ctrl_c_keeps_what_was_proved() -> None:
    form, seen = random_hard(), []

    def press(nodes: int, bound: F | None, value: F | None) -> None:
        seen.append(nodes)
        signal.raise_signal(signal.SIGINT)

    found = prove_form(form, progress=press)
    assert found.interrupted
    assert found.status == "bound"
    assert found.nodes < proved_hard().nodes
    assert found.bound is not None
    assert found.value is not None
    assert found.value <= found.bound
    consent(found)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not prove_form(form, time_limit=1e-9).interrupted


@functools.cache
def proved_hard() -> ProofResult:
    return prove_form(random_hard())


def random_hard() -> RationalForm:
    """Several knapsacks: many nodes, and a maximum."""
    rng = random.Random(1)
    rows = [[rng.randrange(100) for _ in range(30)] for _ in range(4)]
    return program(
        rows, cost=[rng.randrange(1, 100) for _ in range(30)],
        rows=[(None, sum(row) // 2) for row in rows], ends=[(0, 1)] * 30, whole=[1] * 30,
        sense="max",
    )  # fmt: skip


@pytest.mark.ids(1)
@pytest.mark.parametrize("limit", [None, 20.0, 1e-9])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_where_nothing_is_bounded_nothing_is_claimed(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, sense: str
) -> None:
    # without cuts 2x - 2y = 1 is never refuted, and x has no bound
    monkeypatch.setattr(exact_solver, "refuted", lambda _: None)
    monkeypatch.setattr(tree, "root_cuts", lambda *_: [])
    form = program([[2, -2]], cost=[1, 0], rows=[(1, 1)], ends=[(None, None)] * 2, whole=[1, 1],
                   sense=sense)  # fmt: skip
    found = prove_form(form, time_limit=limit)
    assert (found.status, found.bound, found.value, found.certificate) == ("bound", *[None] * 3)
    assert found.statement.endswith("is not bounded so far.")


def claims(value: float, *point: float) -> Answer:
    return Answer(
        claim=Conclusion.OPTIMAL,
        objective=value,
        bound=value,
        raw_point=np.array(point),
        solver="some",
    )


@pytest.mark.parametrize("sense", ["min", "max"])
def test_an_answer_gives_way_to_what_is_proved_better(sense: Sense) -> None:
    sign = 1.0 if sense == "max" else -1.0
    form = small([[6, 4]], cost=[5 * sign, 4 * sign], row_upper=[24], upper=[9, 9], sense=sense,
                 integer=[True, True])  # fmt: skip
    for wrong in (claims(20 * sign, 4, 0), Answer(claim=Conclusion.INFEASIBLE, solver="some")):
        answer = exact_answer(form, wrong)
        assert (answer.claim, answer.objective) == (Conclusion.OPTIMAL, 24 * sign)
        assert answer.point.tolist() == [0, 6]
    for right in (claims(24 * sign, 0, 6), claims((24 + 1e-9) * sign, 0, 6), Answer()):
        assert exact_answer(form, right) is right
    free = small([[1, -1]], cost=[5 * sign, 0], row_upper=[0], sense=sense, integer=[True, True])
    assert exact_answer(free, claims(0, 0, 0)).claim is Conclusion.UNBOUNDED


def test_optima_of_integer_programs_are_found_without_a_gap():
    # two of the items of weight 1 fit; relaxed, 2.5 of them do
    knapsack = small([[1.0, 1.0, 1.0]], cost=[1, 1, 1], row_upper=[2.5], upper=[1, 1, 1])
    assert optimum(knapsack.replace(sense="max")) == 2.5
    whole = knapsack.replace(sense="max", integer=np.ones(3, bool))
    assert optimum(whole) == 2.0
    with pytest.raises(NoAnswer):
        optimum(whole.replace(row_lower=np.array([2.25])))


def test_highs_is_not_asked_where_it_may_search_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def watched(form: LinearForm, solver: str, *, time_limit: float | None) -> Answer:
        asked.append(solver)
        return Answer(solver=solver)

    monkeypatch.setattr(exact_solver, "solve", watched)
    free, half = (None, None), (0, None)
    for ends, whole, times in (
        ([free, free], [1, 1], 0), ([free, free], [0, 1], 0), ([half, half], [1, 1], 1),
        ([(0, 9), free], [1, 1], 1),  # the row gives the other both ends
        ([half, free], [1, 0], 1),  # the free column is not whole
    ):  # fmt: skip
        form = program([[3, 3]], cost=[0, 0], rows=[(6, 6)], ends=ends, whole=whole)
        asked.clear()
        for solver in ("highs", "scip"):
            assert prove_form(form, solver=solver).status == "optimal"
        assert asked == ["highs"] * times + ["scip"]


SLOW = pytest.mark.slow


def agree(form: RationalForm, truth: Found, path: Path) -> str:
    """Hold a proof against the truth, and its certificate against three checkers."""
    found = prove_form(form, answer=Answer(solver="nobody"))
    if found.status == "bound":
        return "bound"
    known: Found = None if found.status == "infeasible" else found.status
    assert (found.value if known == "optimal" else known) == truth
    assert found.certificate is not None
    proof = check(found.certificate)
    assert (proof.infeasible, proof.unbounded) == (truth is None, truth == "unbounded")
    if isinstance(found.certificate, TreeCertificate):
        write_vipr_tree(form, found.certificate, path)
        alone, own = check_file(str(path)), check_vipr(path)
        for said in (alone["infeasible"], own.infeasible):
            assert said is (truth is None)
        assert alone["lower"] == own.lower == proof.bound == truth
    return found.status


@pytest.mark.parametrize(("draw", "seeds"), [
    (ranges, range(30)), pytest.param(ranges, range(30, 400), marks=SLOW),
    (rays, range(30)), pytest.param(rays, range(30, 400), marks=SLOW),
])  # fmt: skip
def test_random_programs_are_decided_rightly(
    draw: Callable[[int], FigureOutcome], seeds: range, tmp_path: Path
) -> None:
    seen = [agree(*draw(seed), tmp_path / "x.vipr") for seed in seeds]
    assert min(seen.count(status) for status in ("optimal", "infeasible")) > len(seeds) // 5
    assert seen.count("unbounded") > (len(seeds) // 5 if draw is ranges else -1)
    assert seen.count("bound") <= len(seeds) // 100
