"""``farkas solve`` on convex programs."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.instances import library
from farkas.models.coded.surrogate import reference_time
from farkas.relaxations.coded.assignment_lp import shared_optimum

DEMO = library.load("coded/demo")
FILE = str(library.path("coded/demo"))


def test_a_convex_program_is_solved_by_a_conic_solver(capsys):
    assert call(["solve", FILE, "--program", "coded.expected_convex", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["claim"], shown["solver"]) == ("optimal", "cvxpy:CLARABEL")
    assert shown["objective"] * reference_time(DEMO) == pytest.approx(shared_optimum(DEMO).time)
    assert shown["largest_violation"] < 1e-6
    assert call(["solve", FILE, "--program", "coded.sca[scaled]"]) == 0
    assert "optimal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "word"),
    [(["--certify"], "certify"), (["--relax"], "relax"), (["--write", "x.mps"], "write")],
)
def test_what_only_linear_programs_can_do_is_refused(option, word, capsys):
    assert call(["solve", FILE, "--program", "coded.expected_convex", *option]) == 2
    assert f"--{word}: coded.expected_convex is convex but not linear" in capsys.readouterr().err


def test_a_program_for_pyomo_only_has_no_linear_form(capsys):
    assert call(["solve", FILE, "--program", "coded.expected"]) == 2
    assert "not linear" in capsys.readouterr().err
