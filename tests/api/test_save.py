"""What is saved reads back, and only what is exactly feasible goes into a VIPR file as a point."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import farkas
from farkas.api.save import check_suffix, exactly_feasible, save
from farkas.api.solution import Solution
from farkas.api.solve import (
    RELAXATION,
    SEARCH,
    best_bound,
    by_multipliers,
    in_fractions,
    solve_form,
)
from farkas.certificates import check_vipr
from farkas.certificates import read as read_certificate
from farkas.certificates.tree import TreeCertificate
from farkas.errors import FileProblem, InvalidOption, NoAnswer, NotACertificate
from farkas.exact.solver import prove_form
from farkas.forms import LinearForm
from farkas.forms.rational import as_rational
from farkas.online import read_run
from farkas.relaxations.integrality import relax
from farkas.solvers import Answer, Reason, solve
from tests.generators.forms import small

# min 2 x + y with x + y >= 3.5, x >= 3 whole, y <= 1: x = 3 and y = 1/2
FORM = small([[1, 1], [1, 0]], cost=[2, 1], row_lower=[3.5, 3], upper=[9, 1], integer=[True, False])


def at(*point: float) -> Solution:
    return Solution(FORM, Answer(raw_point=np.array(point)))


def test_whole_numbers_of_a_solver_are_rounded_and_the_others_kept() -> None:
    # 3 - 1e-9 breaks x >= 3 exactly, 3 does not; y is no whole number and stays
    found = exactly_feasible(at(3 - 1e-9, 0.5))
    assert found is not None
    assert found.tolist() == [3.0, 0.5]


@pytest.mark.parametrize("point", [(3.0, 0.5 - 1e-12), (2.0, 1.5), (3.0, 1.0 + 1e-12)])
def test_a_point_that_breaks_a_row_or_bound_by_anything_is_left_out(
    point: tuple[float, float],
) -> None:
    assert exactly_feasible(at(*point)) is None


def test_without_a_point_there_is_none() -> None:
    assert exactly_feasible(Solution(FORM, Answer())) is None


def test_a_vipr_file_holds_the_bound_and_the_rounded_point(tmp_path: Path) -> None:
    solution = solve_form(FORM, certify=True)
    path = tmp_path / "a.vipr"
    save(solution, path)
    proof = check_vipr(path)
    # relaxed optimum: y = 1/2 as well, so 6.5 is bound and value
    assert (proof.lower, proof.upper) == (Fraction(13, 2), Fraction(13, 2))


def test_of_an_infeasible_program_the_contradiction_is_saved(tmp_path: Path) -> None:
    # x >= 3 and x <= 2
    form = small([[1], [1]], cost=[0], row_lower=[3, -np.inf], row_upper=[np.inf, 2])
    solution = solve_form(form, certify=True)
    save(solution, tmp_path / "a.vipr")
    assert check_vipr(tmp_path / "a.vipr").infeasible
    save(solution, tmp_path / "a.json")
    assert solution.infeasible is not None
    violation = read_certificate(tmp_path / "a.json").violation  # type: ignore[union-attr]
    assert Fraction(violation) == solution.infeasible


@pytest.mark.parametrize("suffix", [".json", ".vipr"])
def test_a_certificate_that_nobody_asked_for_is_no_answer(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="solved without a certificate"):
        save(Solution(FORM, Answer()), tmp_path / f"a{suffix}")
    assert os.listdir(tmp_path) == []


def test_only_solutions_care_for_the_suffix(tmp_path: Path) -> None:
    tiny = farkas.load("mlbroker/tiny")
    run = farkas.run(tiny, "mlbroker.fractional")
    save(tiny, tmp_path / "instance.dat")
    assert farkas.load(tmp_path / "instance.dat").sha256 == tiny.sha256
    save(run, tmp_path / "run.dat")
    assert read_run(tmp_path / "run.dat").value == run.value
    with pytest.raises(InvalidOption, match=r"unknown suffix '\.dat'"):
        save(Solution(FORM, Answer()), tmp_path / "solution.dat")


def test_a_name_of_a_file_cannot_pass_for_words() -> None:
    with pytest.raises(InvalidOption, match=r'^"x: proved": unknown suffix'):
        check_suffix("x: proved")
    with pytest.raises(InvalidOption, match=r"did you mean \.mps"):
        check_suffix("a.msp")


def test_of_an_optimum_its_run_and_of_a_worst_case_its_statement_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    best = farkas.optimum("eris/tiny")
    best.save(path)
    assert farkas.load(path) == best.run
    found = farkas.worst("mlbroker.local", "mlbroker/tiny", evaluations=20, seed=0)
    words = "unbounded" if found.ratio is None else f"at least {found.ratio_words}"
    assert repr(found) == f"<worst case of mlbroker.local: ratio {words}>"
    for what in (found, found.proof, found.gap):
        path.unlink()
        save(what, path)
        assert farkas.load(path).to_json() == found.gap.to_json()
    with pytest.raises(InvalidOption, match=r"plot\(\)\.save writes pictures"):
        found.save(tmp_path / "found.svg")
    with pytest.raises(FileProblem):
        found.proof.save(tmp_path / "none" / "found.json")


def test_what_is_no_program_is_json_whatever_the_case_of_the_suffix(tmp_path: Path) -> None:
    run = farkas.run("eris/tiny", "eris.eris")
    for suffix in (".mps", ".lp", ".vipr", ".MPS", ".Vipr"):
        with pytest.raises(
            InvalidOption, match=f"what is saved is JSON, no {suffix.lower()}; name"
        ):
            farkas.save(run, tmp_path / f"run{suffix}")
    with pytest.raises(InvalidOption, match=r"plot\(\)\.save writes pictures"):
        farkas.save(run, tmp_path / "run.SVG")
    assert not list(tmp_path.iterdir())


def test_of_what_was_proved_the_certificate_is_saved(tmp_path: Path) -> None:
    folder = tmp_path / "a.json"  # only the suffix counts
    folder.mkdir()
    optimal = prove_form(as_rational(FORM))
    save(optimal, folder / "a.vipr")
    proof = check_vipr(folder / "a.vipr")
    assert (proof.lower, proof.upper) == (Fraction(13, 2), Fraction(13, 2))
    nothing = small([[1], [1]], cost=[0], row_lower=[3, -np.inf], row_upper=[np.inf, 2])
    save(prove_form(as_rational(nothing)), folder / "b.vipr")
    assert check_vipr(folder / "b.vipr").infeasible
    with pytest.raises(InvalidOption, match=r"a certificate is a \.json or \.vipr file"):
        save(optimal, folder / "a.dat")


def test_a_tree_of_a_solution_is_written_for_its_program(tmp_path: Path) -> None:
    # 2 x + 2 y = 7 in whole numbers: only branching shows that there is no point
    odd = small([[2, 2]], cost=[1, 1], row_lower=[7], row_upper=[7], upper=[5, 5], integer=[1, 1])
    tree = prove_form(as_rational(odd)).certificate
    save(Solution(odd, Answer(), certificate=tree), tmp_path / "a.vipr")
    assert check_vipr(tmp_path / "a.vipr").infeasible


def test_a_strangers_class_of_a_known_name_is_not_written(tmp_path: Path) -> None:
    class Gap:
        def write(self, path: str) -> None:
            raise AssertionError("nobody asked what it is")

    for what in (Gap(), 3, None):
        with pytest.raises(InvalidOption, match="what is saved"):
            save(what, tmp_path / "found.json")  # type: ignore[arg-type]


ABOUT = {"embed": True}


def whole(sense: str = "min") -> LinearForm:
    """Least 2 x + 2 y >= 7 in whole numbers: 4, relaxed 7/2; as a maximum of negated costs -4."""
    sign = 1.0 if sense == "min" else -1.0
    form = small([[2, 2]], cost=[sign, sign], row_lower=[7])
    return form.replace(sense=sense, upper=np.full(2, 10.0), integer=np.ones(2, dtype=bool))


def bounded(sense: str = "min", gap: Fraction | None = Fraction(0)) -> Solution:
    form = whole(sense)
    return best_bound(form, solve(form), solve(relax(form)), ABOUT, seconds=20.0, gap=gap)


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
def test_a_bound_that_leaves_a_gap_is_beaten_by_the_search(sense: str, sign: int) -> None:
    found = bounded(sense)
    assert (found.bound, found.proved_by) == (4 * sign, SEARCH)
    assert isinstance(found.certificate, TreeCertificate)


def test_a_gap_that_the_relaxation_keeps_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    for gap in (Fraction(1, 16), Fraction(1, 8), None):
        found = bounded(gap=gap)
        near = gap != Fraction(1, 16)
        assert found.proved_by == (RELAXATION if near else SEARCH)
        assert found.bound == (Fraction(7, 2) if near else 4)
    monkeypatch.setattr("farkas.api.solve.in_fractions", lambda *_: None)
    assert bounded().bound == Fraction(7, 2)


def test_without_multipliers_the_search_proves_all_the_same() -> None:
    form = whole()
    silent = Answer(solver="s", reason=Reason.TIME_LIMIT)
    with pytest.raises(NoAnswer, match="nothing to prove a bound with"):
        by_multipliers(form, solve(form), silent, ABOUT)
    for gap in (Fraction(0), None):
        found = best_bound(form, solve(form), silent, ABOUT, seconds=20.0, gap=gap)
        assert (found.bound, found.proved_by) == (4, SEARCH)
    endless = form.replace(cost=np.array([1.0, -1.0]), upper=np.full(2, np.inf))
    with pytest.raises(NoAnswer, match="nothing to prove a bound with"):
        best_bound(endless, solve(form), silent, ABOUT, seconds=0.0)


def test_a_solver_that_is_proved_wrong_is_told() -> None:
    odd = small([[2]], cost=[1], row_lower=[1], row_upper=[1]).replace(
        integer=np.ones(1, dtype=bool), upper=np.ones(1)
    )
    proved = in_fractions(odd, solve(odd), ABOUT, 20.0)
    assert proved is not None
    assert proved.status == "infeasible"
    with pytest.raises(NotACertificate, match="but as doubles it is proved infeasible"):
        best_bound(odd, solve(odd), Answer(solver="s"), ABOUT, seconds=20.0)
