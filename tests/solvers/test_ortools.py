"""CP-SAT: programs in whole numbers, what its process is asked, and what becomes of its words."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.forms import check_point
from farkas.solvers import Ability, Conclusion, Reason, backends, ortools, solve
from farkas.solvers.base import find, installed
from farkas.solvers.ortools import LARGEST, whole_program
from tests.conformance.solvers.cases import INF, form

needs_it = pytest.mark.skipif(not installed("ortools"), reason="needs ortools, of farkas[solvers]")

# max 3x + 2y, x + y <= 4, x + 3y <= 6, and 5 on top: (4, 0), value 17
MAXIMUM = form(
    [3, 2], [(-INF, [1, 1], 4), (-INF, [1, 3], 6)], sense="max", offset=5.0, integer=[0, 1]
)


def allows(asked, point) -> bool:
    within = all(
        a <= x <= b for a, x, b in zip(asked["ends"][0], point, asked["ends"][1], strict=True)
    )
    return within and all(
        low <= sum(v * point[j] for j, v in zip(columns, values, strict=True)) <= high
        for columns, values, low, high in asked["rows"]
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_same_points_have_the_same_values(seed, sense):
    rng = np.random.default_rng(seed)
    lines = rng.integers(-6, 7, (3, 3)) * rng.choice([0.25, 1.0, 3.0], (3, 1))
    middle = lines @ rng.integers(-2, 3, 3)
    case = form(
        (rng.integers(-9, 10, 3) / 8).tolist(),
        [
            (m - w if rng.random() < 0.7 else -INF, line.tolist(), m + w)
            for m, w, line in zip(middle, rng.uniform(0, 4, 3), lines, strict=True)
        ],
        lower=-2.5,
        upper=2.25,
        integer=range(3),
        sense=sense,
    )
    found = whole_program(case)
    seen = 0
    for point in itertools.product(range(-3, 4), repeat=3):
        kept = bool(check_point(case, np.array(point, dtype=float), tolerance=0.0))
        if isinstance(found, str):
            assert not kept, found
            continue
        asked, worth = found
        assert allows(asked, point) is kept, point
        if kept:
            cost = worth * sum(c * x for c, x in zip(asked["cost"], point, strict=True))
            assert cost == sum(Fraction(c) * x for c, x in zip(case.cost, point, strict=True))
            seen += 1
    assert seen or isinstance(found, str) or seed not in (0, 1)


def test_numbers_are_the_doubles_they_are_as_small_as_they_can_be():
    # 0.1 is 3602879701896397 / 2^55; 6 and 4 are 3 and 2 in twos, 25 of them at most 12
    case = form(
        [0.75, -1.5], [(-INF, [6, 4], 25), (0.05, [0.1, 0.2], INF)], upper=9, integer=[0, 1]
    )
    asked, worth = whole_program(case)
    assert (worth, asked["cost"]) == (Fraction(3, 4), [1, -2])
    assert asked["rows"] == [([0, 1], [3, 2], -LARGEST, 12), ([0, 1], [1, 2], 1, LARGEST)]


def test_ends_follow_from_rows_one_after_the_other():
    # 2 x <= 7 gives x <= 3, and with -y + x >= -5, that is y <= x + 5, y <= 8; z >= x - y >= -8
    case = form(
        [1, 1, 1],
        [(-INF, [2, 0, 0], 7), (-5, [1, -1, 0], INF), (0, [-1, 1, 1], 9)],
        lower=[0, 0, -INF],
        upper=INF,
        integer=range(3),
    )
    asked, _ = whole_program(case)
    assert asked["ends"] == ([0, 0, -8], [3, 8, 12])


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (form([1], [(1, [1], INF)], integer=[0]), "column 0 has no upper bound, and no row"),
        (
            form([1], [(-INF, [1], 1)], lower=-INF, integer=[0]),
            "column 0 has no lower bound, and no row",
        ),
        (
            form([1, 1], [(1, [0.1, 2**30], INF)], upper=9, integer=[0, 1]),
            "row 0 needs numbers of more than 64 bits",
        ),
        (form([1e-9, 2**40], upper=9, integer=[0, 1]), "the objective needs numbers of more"),
        (form([0], upper=2.0**62, integer=[0]), "column 0 needs numbers of more than 64"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(case, words):
    with pytest.raises(UnsupportedForm) as refusal:
        whole_program(case)
    assert str(refusal.value).startswith(f"ortools: {words}")


def test_sides_that_no_sum_reaches_are_none():
    asked, _ = whole_program(form([0], [(-1e300, [1], 1e300)], upper=3, integer=[0]))
    assert asked["rows"] == [([0], [1], -LARGEST, LARGEST)]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (form([1], lower=0.25, upper=0.75, integer=[0]), "column 0: no whole number within its"),
        (form([1], [(1, [2], 1)], upper=3, integer=[0]), "row 0: no whole number between its"),
    ],
)
def test_what_has_no_whole_point_is_infeasible_without_asking(case, words, monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)
    monkeypatch.setattr(ortools, "ask", None)
    answer = solve(case, "ortools:cpsat")
    assert (answer.claim, answer.message.startswith(words)) == (Conclusion.INFEASIBLE, True)


@pytest.fixture
def fake(monkeypatch):
    """A process that answers what it is told, after noting what it was asked."""
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: True)
    asked = []

    def say(case, how="done", others=(), **said):
        monkeypatch.setattr(ortools, "ask", lambda *words: (asked.append(words[0]), (said, how))[1])
        return solve(case, "ortools", **dict(others)), asked[-1]

    return say


def test_a_minimum_is_asked_for_and_its_bound_comes_back_in_the_unit_of_costs(fake):
    # in whole numbers min -3x - 2y; it says at least -13, so the maximum is at most 13 + 5
    told = {"status": "FEASIBLE", "bound": -13.0, "point": [3, 1]}
    answer, asked = fake(MAXIMUM, **told, others={"time_limit": 1e-9, "threads": 2, "seed": 9})
    assert (answer.reason, answer.claim) == (Reason.TIME_LIMIT, Conclusion.FEASIBLE)
    assert (answer.objective, answer.bound, answer.message) == (16.0, 18.0, "FEASIBLE")
    assert (asked["cost"], asked["ends"], asked["hint"]) == ([-3, -2], ([0, 0], [4, 4]), [])
    assert asked["options"] == {
        "max_time_in_seconds": 1e-9, "relative_gap_limit": 0.0, "num_workers": 2, "random_seed": 9,
    }  # fmt: skip
    answer, _ = fake(MAXIMUM.replace(cost=MAXIMUM.cost / 2), **told)
    assert (answer.reason, answer.bound) == (Reason.ITERATION_LIMIT, 11.5)
    _, asked = fake(MAXIMUM, **told, others={"start": np.array([9.4, 0.6])})
    assert asked["hint"] == [4, 1], "a start outside the bounds would be no hint"


@pytest.mark.parametrize(
    ("status", "how", "reason", "claim"),
    [
        ("OPTIMAL", "done", Reason.FINISHED, Conclusion.OPTIMAL),
        ("INFEASIBLE", "done", Reason.FINISHED, Conclusion.INFEASIBLE),
        ("UNKNOWN", "done", Reason.ITERATION_LIMIT, Conclusion.NONE),
        ("FEASIBLE", "interrupted", Reason.INTERRUPTED, Conclusion.FEASIBLE),
    ],
)
def test_words_of_the_solver_are_read(fake, status, how, reason, claim):
    point = {"point": [4, 0]} if claim in (Conclusion.OPTIMAL, Conclusion.FEASIBLE) else {}
    answer, _ = fake(MAXIMUM, status=status, how=how, **point)
    assert (answer.reason, answer.claim) == (reason, claim)
    assert answer.message == ("" if reason is Reason.FINISHED else status)


def test_a_process_that_had_to_be_killed_claims_nothing(fake):
    answer, _ = fake(MAXIMUM, how="overlong", others={"time_limit": 1e-9})
    assert (answer.reason, answer.claim) == (Reason.TIME_LIMIT, Conclusion.NONE)
    with pytest.raises(InvalidOption, match=r'^ortools refuses its option "no_such = 1"$'):
        fake(MAXIMUM, refused="no_such = 1")


@pytest.fixture
def child(monkeypatch):
    """A process that runs lines of Python instead."""

    def ask(lines, **others):
        monkeypatch.setattr(ortools, "START", lines)
        return ortools.ask({}, others.get("time_limit", 60.0), log=False)

    return ask


def test_a_process_that_dies_gives_its_last_words(child):
    with pytest.raises(RuntimeError, match="its process ended with status 3: out of luck"):
        child("import os, sys; print('out of luck', file=sys.stderr, flush=True); os._exit(3)")


def test_a_process_that_stays_silent_is_killed(child, monkeypatch):
    monkeypatch.setattr(ortools, "GRACE", 0.0)
    assert child("import time; time.sleep(60)", time_limit=0.5) == ({}, "overlong")


def test_ctrl_c_is_passed_on_and_what_is_said_then_is_kept(child):
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    lines = "try:\n import time; time.sleep(60)\nexcept KeyboardInterrupt:\n print('{\"a\": 1}')"
    assert child(lines) == ({"a": 1}, "interrupted")


def test_names_and_abilities():
    assert backends["ortools"].names() == ("cpsat",)
    assert find("ortools") is find("ortools:") is find("ortools:cpsat")
    assert find("ortools").abilities == Ability.INTEGER
    for name, instead in (
        ("glop", "cvxpy:GLOP"),
        ("pdlp", "cvxpy:PDLP"),
        ("x", "ortools:cpsat"),
    ):
        with pytest.raises(UnknownName, match=f"unknown solver ortools:{name}; use {instead}"):
            find(f"ortools:{name}")


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr("farkas.solvers.base.installed", lambda _: False)
    words = r"solver ortools is missing: pip install 'farkas\[solvers\]' to use it"
    with pytest.raises(SolverUnavailable, match=words):
        solve(MAXIMUM, "ortools")


@needs_it
def test_the_process_of_highs_loads_nothing_of_it():
    code = (
        "import sys, numpy as np; from farkas.solvers import solve; "
        "from tests.solvers.test_ortools import MAXIMUM; "
        "print(solve(MAXIMUM, 'highs').objective, solve(MAXIMUM, 'ortools').objective, "
        "solve(MAXIMUM, 'highs').objective, 'ortools' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["17.0", "17.0", "17.0", "False"]


@needs_it
def test_options_of_its_own_are_taken_and_others_refused():
    assert solve(MAXIMUM, "ortools:cpsat", start=np.array([4.0, 0.0])).objective == 17.0
    held = solve(MAXIMUM, "ortools:cpsat", solver_options={"max_deterministic_time": 0.0})
    assert (held.reason, held.claim) == (Reason.ITERATION_LIMIT, Conclusion.NONE)
    chosen = solve(MAXIMUM, "ortools:cpsat", solver_options={"search_branching": "FIXED_SEARCH"})
    assert chosen.claim is Conclusion.OPTIMAL
    for wrong in ({"no_such": 1}, {"max_deterministic_time": "perhaps"}):
        with pytest.raises(InvalidOption, match="ortools refuses its option"):
            solve(MAXIMUM, "ortools:cpsat", solver_options=wrong)
