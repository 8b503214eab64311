"""Why a program has no point: rows that contradict each other, none of them superfluous."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.api.explain import Explanation, Finding, _proved, explain
from farkas.api.solve import solve_form
from farkas.certificates import check, prove_infeasible, write_vipr_infeasible
from farkas.certificates.vipr_check import check_vipr
from farkas.forms import LinearForm
from farkas.solvers import Conclusion, solve
from tests.conformance.solvers.cases import form

INF = math.inf


class Rota(Program):
    """Jobs need machine-slots; every slot has so many machines.

    Planted by ``demand`` and ``machines``; job 2 may be short, which loosens nothing of the others.
    """

    def __init__(self, demand, machines, *, integral=False):
        super().__init__()
        self.demand, self.machines, self.integral = demand, machines, integral

    def declare(self, m, data):
        m.jobs = Set(range(len(self.demand)), label="job")
        m.slots = Set(range(len(self.machines)), label="slot")
        m.demand = Param(m.jobs, values=self.demand)
        m.machines = Param(m.slots, values=self.machines)
        m.busy = Var(m.jobs, m.slots, upper=1.0, integer=self.integral)

    @constraint("1", "jobs")
    def finish(m, j):
        """A job gets the slots it needs."""
        return Sum(m.busy[j, t] for t in m.slots) >= m.demand[j]

    @constraint("2", "slots")
    def room(m, t):
        """A slot holds no more jobs than machines."""
        return Sum(m.busy[j, t] for j in m.jobs) <= m.machines[t]

    @objective
    def work(m):
        return Sum(m.busy[j, t] for j in m.jobs for t in m.slots)


Rota.name = "rota"  # after the class statement, so that the registry does not see it


def rows(found: Explanation) -> list[int]:
    return np.flatnonzero(found.ray).tolist()


def named(found: Explanation) -> list[str]:
    return [found.form.row_name(i) for i in rows(found)]


def keep(one: LinearForm, rows: list[int]) -> LinearForm:
    """The form with all sides dropped but those of ``rows``."""
    free = np.ones(one.num_rows, dtype=bool)
    free[rows] = False
    return one.replace(
        row_lower=np.where(free, -INF, one.row_lower),
        row_upper=np.where(free, INF, one.row_upper),
    )


def feasible(one: LinearForm, solver: str = "scip") -> bool:
    """By another solver than the one that found the rows."""
    answer = solve(one.replace(cost=np.zeros(one.num_columns)), solver)
    assert answer.claim in (Conclusion.OPTIMAL, Conclusion.INFEASIBLE)
    return answer.claim is Conclusion.OPTIMAL


def assert_irreducible(one: LinearForm, found: Explanation) -> None:
    assert found.finding is Finding.ROWS
    assert found.irreducible
    needed = rows(found)
    assert prove_infeasible(keep(one.replace(sense="min"), needed), found.ray) == found.violation
    assert not feasible(keep(one, needed))
    for dropped in needed:
        assert feasible(keep(one, [i for i in needed if i != dropped])), (
            f"row {dropped} is not needed"
        )


def test_a_job_that_needs_more_slots_than_there_are_is_named_alone():
    # Job 1 needs 4 of 3 slots, whatever the machines.
    one = Rota([1.0, 4.0, 1.0], [5.0, 5.0, 5.0]).form(None)
    found = explain(one)
    assert named(found) == ["finish[job=1]  (1)"]
    assert found.violation == 1  # 4 - 3
    assert_irreducible(one, found)


def test_jobs_that_crowd_the_slots_are_named_with_the_slots():
    # Three jobs of 2 slots need 6 machine-slots; 2 + 2 + 1 are there.  Job 3 asks for nothing.
    one = Rota([2.0, 2.0, 2.0, 0.0], [2.0, 2.0, 1.0]).form(None)
    found = explain(one)
    assert named(found) == [
        *(f"finish[job={j}]  (1)" for j in range(3)),
        *(f"room[slot={t}]  (2)" for t in range(3)),
    ]
    assert found.ray.tolist() == [1, 1, 1, 0, -1, -1, -1]
    assert found.violation == 1
    assert_irreducible(one, found)


def test_the_words_name_jobs_slots_relations_and_bounds():
    text = str(explain(Rota([1.0, 4.0], [5.0, 5.0, 5.0]).form(None)))
    assert "finish[job=1]  (1)" in text
    assert "busy[1,0] + busy[1,1] + busy[1,2] >= 4" in text
    assert "A job gets the slots it needs." in text
    assert "with busy[1,2] <= 1" in text
    assert "multipliers 1 they miss by 1" in text


def test_integrality_alone_is_said_to_be_the_reason():
    # Two jobs of half a slot each want one machine in one slot: halves would do, wholes do not.
    one = Rota([0.5, 0.5], [1.0], integral=True).form(None)
    assert solve(one).claim is Conclusion.INFEASIBLE
    found = explain(one)
    assert found.finding is Finding.INTEGRALITY
    assert "finds a point where variables need not be whole" in str(found)
    assert found.to_builtins()["rows"] == []


def test_rows_that_contradict_without_integrality_prove_an_integer_program_infeasible():
    one = Rota([4.0], [1.0, 1.0], integral=True).form(None)
    found = explain(one)
    assert named(found) == ["finish[job=0]  (1)"]
    assert prove_infeasible(one, found.ray) == 2


def test_a_feasible_form_refutes_the_claim():
    found = explain(Rota([1.0], [1.0]).form(None))
    assert found.finding is Finding.POINT
    assert str(found) == "highs finds a point"


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_a_useless_ray_is_replaced(scale):
    one = form([1, 1], [(6 * scale, [1, 1], INF), (-INF, [1, 1], 5 * scale)])
    for ray in (np.zeros(2), np.array([1.0, 0.0]), np.array([math.nan, 1.0])):
        found = explain(one, ray=ray)
        assert rows(found) == [0, 1]
        assert float(found.violation) == pytest.approx(scale)


def test_crossing_bounds_and_sides_are_named_without_a_search():
    for crossed, words in (
        (form([1], lower=[3], upper=[2]), "column 0: lower bound 3.0 > upper bound 2.0"),
        (form([1, 1], [(0, [1, 1], 9), (4, [1, 0], 3)]), "row 1: lower side 4.0 > upper 3.0"),
    ):
        found = explain(crossed)
        assert (found.finding, found.irreducible) == (Finding.SIDES, True)
        assert str(found) == words


def test_an_empty_row_with_a_side_is_a_contradiction_of_its_own():
    one = form([1, 1], [(1, [1, 1], INF), (2, [0, 0], INF)])
    found = explain(one)
    assert rows(found) == [1]
    assert found.violation == 2
    assert "0 >= 2" in str(found)


def test_no_time_leaves_a_proof_that_says_it_is_unfinished():
    one = Rota([2.0, 2.0, 2.0], [2.0, 2.0, 1.0]).form(None)
    found = explain(one, seconds=0.0)
    assert found.finding is Finding.ROWS
    assert not found.irreducible
    assert "was not finished" in str(found)
    assert prove_infeasible(one, found.ray) == found.violation


def planted(seed: int) -> LinearForm:
    """Twelve rows around a point, four of them turned against each other.

    Rows 3, 5, 8 say ``a x >= r`` for three vectors a; row 10 says that their sum is at most the
    sum of r minus 1: no point, and any three of the four have one.
    """
    rng = np.random.default_rng(seed)
    point = rng.integers(0, 5, 6).astype(float)
    lines = rng.integers(-4, 5, (12, 6)).astype(float)
    lines[10] = lines[[3, 5, 8]].sum(axis=0)
    sides = lines @ point
    rows = []
    for i, (line, side) in enumerate(zip(lines, sides, strict=True)):
        if i in (3, 5, 8):
            rows.append((side, line.tolist(), INF))
        elif i == 10:
            rows.append((-INF, line.tolist(), side - 1))
        else:
            room = float(rng.integers(1, 6))
            rows.append((side - room, line.tolist(), side + room))
    return form(np.ones(6).tolist(), rows, lower=-50.0, upper=50.0)


@pytest.mark.parametrize("seed", range(4))
def test_a_planted_contradiction_is_cut_down_to_rows_that_are_all_needed(seed):
    one = planted(seed)
    found = explain(one)
    assert_irreducible(one, found)
    assert len(rows(found)) <= 7  # Helly: in 6 dimensions 7 contradicting convex sets suffice


@pytest.mark.parametrize("exponents", [(60, -60), (-40, 40), (0, -60)])
def test_the_rows_are_the_same_in_whatever_unit_each_is_written(exponents):
    plain = planted(0)
    unit = np.ones(12)
    unit[3:8], unit[8:] = np.ldexp(1.0, exponents)
    there = np.repeat(np.arange(12), np.diff(plain.matrix.starts))
    other = plain.replace(
        matrix=dataclasses.replace(plain.matrix, values=plain.matrix.values * unit[there]),
        row_lower=plain.row_lower * unit,
        row_upper=plain.row_upper * unit,
    )
    found = explain(other)
    assert rows(found) == rows(explain(plain))
    assert_irreducible(other, found)


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_solving_explains_whatever_solver_claimed_it(solver):
    one = Rota([1.0, 4.0], [5.0, 5.0, 5.0]).form(None)
    solution = solve_form(one, solver=solver)
    assert solution.answer.claim is Conclusion.INFEASIBLE
    assert named(solution.explanation) == ["finish[job=1]  (1)"]
    shown = solution.to_builtins()["explanation"]
    assert shown["finding"] == "rows"
    assert [row["row"] for row in shown["rows"]] == ["finish[job=1]  (1)"]
    assert len(shown["bounds"]) == 3
    assert solution.to_builtins()["proved_infeasible"] == "1"


def test_the_certificate_holds_the_rows_that_are_named(tmp_path):
    one = Rota([2.0, 2.0, 2.0, 0.0], [2.0, 2.0, 1.0]).form(None)
    solution = solve_form(one, certify=True, about={"embed": True})
    assert check(solution.certificate).infeasible
    ray = solution.certificate.ray.floats("ray", one.num_rows)
    assert np.flatnonzero(ray).tolist() == rows(solution.explanation)
    write_vipr_infeasible(one, ray, tmp_path / "proof.vipr")
    assert check_vipr(tmp_path / "proof.vipr").infeasible


@pytest.mark.parametrize("bounds", [12, 13, 20])
def test_a_dozen_bounds_are_listed_and_the_others_counted(bounds):
    lines = str(explain(Rota([bounds + 1.0], [5.0] * bounds).form(None))).splitlines()
    assert sum(line.endswith("<= 1") and "with busy" in line for line in lines) == 12
    counted = [line.strip() for line in lines if line.endswith("more bounds")]
    assert counted == ([f"with {bounds - 12} more bounds"] if bounds > 12 else [])


def test_bounds_are_those_that_the_sum_of_the_rows_needs():
    # x + y is at least 3 within x <= 1, y <= 1 and z <= 5: z is free to stay away
    found = explain(form([0] * 3, [(3, [1, 1, 0], INF)], upper=1.0))
    assert found.bounds() == ["x[0] <= 1", "x[1] <= 1"]
    assert found.to_builtins()["bounds"] == found.bounds()


# x + y >= 3 and x <= 1, y <= 1 as rows; z <= 5 has nothing to do with it
PLANTED = form(
    [1, 2, 3], [(3, [1, 1, 0], INF), (-INF, [1, 0, 0], 1), (-INF, [0, 1, 0], 1),
                (-INF, [0, 0, 1], 5)]
)  # fmt: skip
RAY = np.array([1.0, -1.0, -1.0, 0.0])


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1 / 3, 1e9])
def test_a_ray_is_scaled_to_small_whole_numbers_without_noise(scale):
    free = PLANTED.replace(cost=np.zeros(3))
    found = _proved(free, scale * (RAY + np.array([1e-13, 0, -1e-12, 1e-14])))
    assert found.tolist() == RAY.tolist()
    assert prove_infeasible(free, found) == 1  # 3 - 1 - 1


@pytest.mark.parametrize(
    "ray", [None, np.zeros(4), np.array([1.0, np.nan, 0, 0]), -RAY, np.array([0, 0, 0, -1.0])]
)
def test_what_proves_nothing_is_no_ray(ray):
    assert _proved(PLANTED.replace(cost=np.zeros(3)), ray) is None


def test_rows_that_highs_does_not_name_are_those_of_the_ray(monkeypatch):
    nothing = np.zeros(0, np.int64), False
    monkeypatch.setattr("farkas.api.explain.contradicting_rows", lambda *given: nothing)
    for ray in (RAY, None):
        found = explain(PLANTED, ray=ray)
        assert rows(found) == [0, 1, 2]
        assert not found.irreducible
        assert "was not finished" in found.note
