"""`farkas solve` prints claims, points and proofs, and ends with the code they deserve."""

from __future__ import annotations

import json
import signal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import typer

import farkas
import farkas.online
from farkas.api.solution import Solution
from farkas.cli import call
from farkas.cli.commands.solve import _finish
from farkas.errors import Exit
from farkas.forms import check_point
from farkas.instances import library
from farkas.instances.library import path as shipped
from farkas.models.coded.kernel import reference_time
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers import Answer, Conclusion
from farkas.solvers.answer import Reason
from tests.generators.forms import small
from tests.tools.cells import cells

TINY = str(shipped("mlbroker/tiny"))
DEMO = str(shipped("coded/demo"))
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_solve_writes_the_program(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"program{suffix}"
    assert call(["solve", TINY, "-p", "mlbroker.offline", "--write", str(out)]) == 0
    assert "enough_workers" in out.read_text()


def test_a_certificate_is_proved_without_being_asked_for(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "proof.json"
    words = ["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--write", str(out), "--json"]
    assert call(words) == 0
    shown = json.loads(capsys.readouterr().out)
    assert json.loads(out.read_text())["bound"] == shown["proved_bound_exact"]


def test_an_infeasible_program_is_explained_in_words(capsys: Capture) -> None:
    # One job of the instance fits on no server whole, nor spread: its row has no variable left.
    words = ["solve", str(shipped("dps/tiny")), "-p", "dps.placement_sequence"]
    assert call(words) == 1
    captured = capsys.readouterr()
    assert "exactly_once[job=3]  (2a)" in captured.out
    assert "Every job is accepted." in captured.out
    assert "proved exactly" in captured.out
    assert "proved infeasible" in captured.out
    assert "solver says" not in captured.out
    assert "is infeasible" in captured.err
    assert call([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["explanation"]
    assert found["finding"] == "rows"
    assert found["irreducible"] is True
    assert [row["row"] for row in found["rows"]] == ["exactly_once[job=3]  (2a)"]


def test_a_convex_program_is_solved_by_a_conic_solver(capsys):
    assert call(["solve", DEMO, "--program", "coded.expected_convex", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["claim"], shown["solver"]) == ("optimal", "cvxpy:CLARABEL")
    demo = library.load("coded/demo")
    time = shown["objective"] * reference_time(demo)
    assert time == pytest.approx(shared_optimum(demo).time)
    assert shown["largest_violation"] < 1e-6
    assert call(["solve", DEMO, "--program", "coded.sca[scaled]"]) == 0
    assert "optimal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "word"),
    [(["--certify"], "certify"), (["--relax"], "relax"), (["--write", "x.mps"], "write")],
)
def test_what_only_linear_programs_can_do_is_refused(option, word, capsys):
    assert call(["solve", DEMO, "--program", "coded.expected_convex", *option]) == 2
    assert f"--{word}: coded.expected_convex is convex but not linear" in capsys.readouterr().err


def ended(found: Solution) -> Exit:
    """Exit code of a command that has found this."""
    try:
        _finish(found)
    except typer.Exit as code:
        return Exit(code.exit_code)
    return Exit.DONE


def solution(**answer: object) -> Solution:
    """Answer about min x, x >= 1."""
    form = small([[1]], cost=[1], row_lower=[1])
    return Solution(form, Answer(solver="s", reason=Reason.TIME_LIMIT, **answer))  # type: ignore[arg-type]


def point(value: float) -> dict[str, object]:
    form = small([[1]], cost=[1], row_lower=[1])
    x = np.array([value])
    return {"raw_point": x, "objective": value, "report": check_point(form, x)}


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        ({"claim": Conclusion.OPTIMAL, **point(1.0)}, Exit.DONE, ""),
        ({"claim": Conclusion.FEASIBLE, **point(2.0)}, Exit.DONE, ""),
        (
            {"claim": Conclusion.OPTIMAL, **point(0.5)},
            Exit.NEGATIVE,
            "the point of s is not feasible",
        ),
        (
            {"claim": Conclusion.INFEASIBLE},
            Exit.NEGATIVE,
            "is infeasible by the word of s; farkas prove decides it\n",
        ),
        (
            {"claim": Conclusion.UNBOUNDED},
            Exit.NEGATIVE,
            "is unbounded by the word of s; farkas prove decides it\n",
        ),
        ({}, Exit.NO_ANSWER, "no answer: s stopped for reason time_limit"),
    ],
)
def test_the_exit_code_is_what_became_of_the_point(
    answer: dict[str, object], code: Exit, words: str, capsys: Capture
) -> None:
    assert ended(solution(**answer)) is code
    captured = capsys.readouterr().err
    assert words in captured
    assert captured.count("\n") == (code is not Exit.DONE)


CASES = {
    "rows": (" need: x >= 5\n cap: x <= 3", "", "is infeasible, as is proved"),
    "sides": (" cap: x <= 3", " 2 <= x <= 1", "is infeasible, as is proved"),
    # x whole between 1/3 and 2/3: no multipliers prove it
    "whole": (
        " low: 3 x >= 1\n high: 3 x <= 2",
        "",
        "by the word of highs; farkas prove decides it",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_last_line_says_whether_it_is_proved(
    case: str, tmp_path: Path, capsys: Capture
) -> None:
    rows, bounds, words = CASES[case]
    path = tmp_path / "m.lp"
    whole = "generals\n x\n" if case == "whole" else ""
    path.write_text(f"min\n c: x\nst\n{rows}\nbounds\n{bounds}\n{whole}end\n")
    assert call(["solve", str(path)]) == Exit.NEGATIVE
    captured = capsys.readouterr()
    assert captured.err.endswith(f"{words}\n")
    found = farkas.solve(path)
    assert found.proved_infeasible is (case != "whole")
    assert ("proved infeasible" in repr(found)) is (case != "whole")
    # the certificate of a search proves the last one
    if case == "whole":
        assert call(["solve", str(path), "--certify"]) == Exit.NEGATIVE
        assert capsys.readouterr().err.endswith("is infeasible, as is proved\n")


def test_a_point_that_is_better_than_the_proved_bound_is_no_answer(capsys: Capture) -> None:
    # x = 1 - 1e-7 keeps x >= 1 within tolerances, and costs 0 where 1 is proved
    for sense, sign in (("min", 1.0), ("max", -1.0)):
        form = small([[1]], cost=[sign * 1e7], row_lower=[1], offset=sign * (1 - 1e7), sense=sense)
        x = np.array([1 - 1e-7])
        report = check_point(form, x)
        assert report
        answer = Answer(solver="s", reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, raw_point=x,
                        objective=0.0, report=report)  # fmt: skip
        assert ended(Solution(form, answer, bound=Fraction(sign))) is Exit.NEGATIVE
        assert "the point of s is better than the proved bound" in capsys.readouterr().err
        exact = Answer(solver="s", reason=Reason.FINISHED, claim=Conclusion.OPTIMAL, objective=sign,
                       raw_point=np.ones(1), report=check_point(form, np.ones(1)))  # fmt: skip
        bound = Fraction(sign) * (1 + Fraction(1, 10**7))
        assert ended(Solution(form, exact, bound=bound)) is Exit.DONE


def test_a_model_takes_no_program(capsys: Capture, tmp_path: Path) -> None:
    model = str(tmp_path / "m.mps")
    assert call(["solve", TINY, "-p", "mlbroker.relaxed", "--write", model]) == 0
    assert call(["solve", "dps/tiny"]) == 2
    assert "name a program (-p/--program), one of dps." in capsys.readouterr().err
    assert call(["solve", model, "-p", "m"]) == 2
    assert (
        'is a program of its own: leave out m; a solver is solver="highs"'
        in capsys.readouterr().err
    )
    assert call(["check", model]) == 2
    assert f"is a model; farkas prove {model} proves its optimum" in capsys.readouterr().err
    assert call(["check", str(tmp_path / "none.mps")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_the_table_shows_what_is_claimed_and_what_is_proved(capsys: Capture) -> None:
    assert call(["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--certify", "--point"]) == 0
    text = capsys.readouterr().out
    shown = {row[0]: row[1] for row in cells(text) if len(row) == 2}
    del shown["variable"]
    assert shown["claim"] == "optimal (stopped: finished)"
    assert (shown["claimed objective"], shown["proved bound"]) == ("16.8", "16.7999999")
    gap, _, word = shown["proved gap"].partition(", ")
    assert 0 <= float(gap) < 1e-9
    assert word == "optimal"
    assert "nonzero values" in text
    assert all(float(value) != 0 for name, value in shown.items() if name.startswith("workers["))
    assert any(name.startswith("workers[") for name in shown)


def test_json_has_both_sides_and_the_run_is_checked(tmp_path, capsys):
    run, proof = str(tmp_path / "run.json"), str(tmp_path / "proof.json")
    assert call(["optimum", "mlbroker/tiny", "--out", run, "--write", proof, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert Fraction(shown["value"]) >= Fraction(shown["value_exact"])
    assert Fraction(shown["bound"]) <= Fraction(shown["bound_exact"])
    assert abs(shown["value"] - 16.8) < 1e-12
    assert shown["sense"] == "min"
    assert shown["gap"] <= 0.001
    assert Fraction(shown["bound_exact"]) <= Fraction(shown["value_exact"])
    assert shown["method"]
    assert shown["seconds"] > 0
    assert call(["check", run, "--instance", "mlbroker/tiny"]) == 0
    assert call(["check", proof, "--instance", "mlbroker/tiny"]) == 0


def test_a_gap_that_is_not_reached_ends_with_what_is_proved(capsys):
    words = ["optimum", "mlbroker/demo", "--gap", "0", "--time-limit", "0.5", "--json"]
    assert call(words) == 3
    heard = capsys.readouterr()
    shown = json.loads(heard.out)
    assert shown["bound"] < shown["value"]
    assert not shown["complete"]
    assert "the gap was not reached" in heard.err


def test_the_table_names_what_found_and_what_proved(capsys):
    assert call(["optimum", "mlbroker/tiny"]) == 0
    shown = capsys.readouterr().out
    assert "value found by" in shown
    assert "each job by itself" in shown
    assert "bound proved by" in shown


def test_bad_input_ends_in_one_line(tmp_path, capsys):
    same = tmp_path / "same.json"
    for words in (
        ["optimum", "mlbroker/tiny", "--write", "proof.vipr"],
        ["optimum", "mlbroker/tiny", "--out", str(tmp_path / "none" / "run.json")],
        ["optimum", "mlbroker/tiny", "--out", str(same), "--write", str(same)],
        ["optimum", "mlbroker/tiny", "--write", str(same), "--write", f"{tmp_path}/./same.json"],
    ):
        assert call(words) == 2, words
        heard = capsys.readouterr()
        assert heard.out == ""
        assert len(heard.err.splitlines()) == 1


@pytest.mark.slow
def test_workers_change_nothing_but_the_time(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("farkas.executor.LEAST_STEPS", 0.0)
    files = [tmp_path / name for name in ("alone.json", "shared.json")]
    for path, more in zip(files, ([], ["--workers", "2"]), strict=True):
        assert call(["optimum", "mlbroker/tiny", "--write", str(path), *more]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    capsys.readouterr()
    monkeypatch.setattr("farkas.executor.PATIENCE", 0.5)
    assert call(["optimum", "mlbroker/tiny", "--scheduler", "tcp://127.0.0.1:1"]) == 3
    heard = capsys.readouterr()
    assert heard.out == ""
    assert "no dask scheduler answers" in heard.err
    assert len(heard.err.splitlines()) == 1


def test_ctrl_c_while_files_are_written_changes_nothing(monkeypatch, tmp_path, capsys):
    wrote, out = farkas.online.write_run, tmp_path / "run.json"

    def pressed(run, path):
        signal.raise_signal(signal.SIGINT)
        wrote(run, path)

    monkeypatch.setattr("farkas.online.write_run", pressed)
    assert call(["optimum", "mlbroker/tiny", "--out", str(out)]) == 0
    assert farkas.check(out, "mlbroker/tiny").value == farkas.optimum("mlbroker/tiny").value
