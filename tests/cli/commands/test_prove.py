"""``farkas prove``, and ``farkas check`` of what it wrote."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.exact.certificate import TreeNode
from farkas.exact.node_solver import NodeSolver
from farkas.standalone.checker import check_file

LP = """\
maximize
 profit: 5 x + 4 y + 0.1 z
subject to
 wood: 6 x + 4 y <= 24
 time: x + 2 y <= 6
 rest: z + x <= 3.3
bounds
 x <= 9
generals
 x y
end
"""
Capture = pytest.CaptureFixture[str]
KEYS = ["program", "notes", "reader_differs", "sense", "numbers", "rows", "columns", "integers",
        "status", "value", "value_exact", "bound", "bound_exact", "gap", "nodes", "seconds",
        "solver", "claim", "contradiction", "statement"]  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "m.lp"
    path.write_text(LP)
    return str(path)


def shown(capsys: Capture) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_these_keys(model: str, capsys: Capture) -> None:
    assert call(["prove", model, "--json"]) == 0
    found = shown(capsys)
    assert list(found) == KEYS
    # x = 3, y = 1 is worth 19.03; x = 4 is beyond rest; x = 2, y = 2 is 18.13
    assert found["value_exact"] == found["bound_exact"] == "1903/100"
    assert (found["status"], found["gap"], found["solver"]) == ("optimal", 0.0, "highs")
    assert (found["rows"], found["columns"], found["integers"]) == (3, 3, 2)
    assert call(["prove", model, "--json", "--point"]) == 0
    found = shown(capsys)
    assert found["point"] == {"x": "3", "y": "1", "z": "3/10"}
    assert list(found) == [*KEYS, "point"]


def test_words(model: str, capsys: Capture) -> None:
    assert call(["prove", model, "--point"]) == 0
    out = capsys.readouterr().out
    for said in ("3 rows, 3 columns (2 integer)", "read as decimals", "optimal",
                 "The optimal value of m, read as decimals, is 1903/100, about 19.03.",
                 "which is right"):  # fmt: skip
        assert said in out, said
    assert re.search(r"z\W+3/10\s", out)
    assert call(["prove", model]) == 0
    assert not re.search(r"z\W+3/10\s", capsys.readouterr().out)


def test_infeasible_and_unbounded_are_proofs(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "m.lp"
    path.write_text(LP.replace("<= 9", ">= 4"))
    assert call(["prove", str(path), "--json"]) == 0
    found = shown(capsys)
    assert (found["status"], found["value"], found["bound"], found["gap"]) == ("infeasible",) + (
        None,
    ) * 3
    assert found["contradiction"]
    assert call(["prove", str(path)]) == 0
    out = capsys.readouterr().out
    assert "What contradicts: " in out
    assert "more (--json names all)" not in out
    path.write_text(LP.replace(" rest: z + x <= 3.3\n", ""))
    written = tmp_path / "u.json"
    assert call(["prove", str(path), "--json", "--write", str(written)]) == 0
    assert shown(capsys)["status"] == "unbounded"
    assert call(["check", str(written), "--json"]) == 0
    assert shown(capsys)["unbounded"] is True


@pytest.mark.parametrize("suffix", ["json", "vipr"])
def test_a_check_gives_up_after_the_steps_it_is_allowed(
    suffix: str, model: str, tmp_path: Path, capsys: Capture
) -> None:
    out = str(tmp_path / f"p.{suffix}")
    assert call(["prove", model, "--write", out]) == 0
    capsys.readouterr()
    for extra in ([], ["--model", model] if suffix == "json" else []):
        assert call(["check", out, *extra, "--most-work", "3"]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert "takes more than 3 steps to check; --most-work allows more" in said.err
        assert said.err.count("\n") == 1
        assert call(["check", out, *extra, "--most-work", "9999"]) == 0
        capsys.readouterr()


def test_a_limit_is_exit_code_3(tmp_path: Path, capsys: Capture) -> None:
    path, out = tmp_path / "m.lp", tmp_path / "p.json"
    path.write_text("max\n x + y\nst\n c: 3 x + 5 y <= 7\nbounds\n x <= 2\n y <= 2\nend\n")
    assert call(["prove", str(path), "--time-limit", "1e-9", "--json", "--write", str(out)]) == 3
    read = capsys.readouterr()
    found = json.loads(read.out)
    assert (found["status"], found["bound_exact"]) == ("bound", "4")
    assert read.err.count("\n") == 1
    assert call(["check", str(out), "--json"]) == 0
    assert shown(capsys)["bound_exact"] == "4"


def test_ctrl_c_prints_and_writes_what_is_proved(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[(7 * i + 3 * i * k + 5 * k * k) % 97 + 1 for i in range(30)] for k in (1, 2, 3)]
    terms = [" + ".join(f"{v} x{i}" for i, v in enumerate(row)) for row in rows]
    sides = "\n".join(f" {t} <= {sum(row) // 2}" for t, row in zip(terms, rows, strict=True))
    names = " ".join(f"x{i}" for i in range(30))
    path, out = tmp_path / "m.lp", tmp_path / "p.json"
    goal = " + ".join(f"{(11 * i) % 89 + 7} x{i}" for i in range(30))
    path.write_text(f"max\n {goal}\nst\n{sides}\nbinary\n {names}\nend\n")
    solved = NodeSolver.go

    def pressed(self: NodeSolver, node: TreeNode) -> None:
        signal.raise_signal(signal.SIGINT)
        solved(self, node)

    monkeypatch.setattr(NodeSolver, "go", pressed)
    assert call(["prove", str(path), "--json", "--write", str(out)]) == 130
    read = capsys.readouterr()
    assert read.err == "farkas: interrupted\n"
    found = json.loads(read.out)
    assert found["status"] == "bound"
    assert call(["check", str(out), "--json"]) == 0
    assert shown(capsys)["bound_exact"] == found["bound_exact"]


@pytest.mark.parametrize(("arguments", "said"), [
    (["--time-limit", "0"], "--time-limit"), (["--numbers", "octal"], "'decimal', 'binary'"),
    (["--write", "x.txt"], "x.txt"), (["--write", "/no/such/folder/x.json"], "no/such"),
])  # fmt: skip
def test_errors_are_one_line_and_exit_code_2(
    arguments: list[str], said: str, model: str, capsys: Capture
) -> None:
    assert call(["prove", model, *arguments]) == 2
    read = capsys.readouterr()
    assert said in read.err
    assert read.out == ""


def test_names_of_a_file_do_not_move_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "m.mps"
    evil = "x\u202e"  # control characters are refused, and told so
    path.write_text(
        f"NAME {evil}\nROWS\n N c\n G {evil}\n L cap\nCOLUMNS\n"
        f" {evil} c 1 {evil} 1\n {evil} cap 1\n"
        f"RHS\n s {evil} 3\n s cap 4\nENDATA\n"
    )
    assert call(["prove", str(path), "--point"]) == 0
    assert call(["prove", str(path), "--json", "--point"]) == 0
    path.write_text(path.read_text().replace("cap 4", "cap 2"))
    assert call(["prove", str(path)]) == 0
    path.write_text(path.read_text().replace("cap", "c\x1b[2J"))
    assert call(["prove", str(path)]) == 2
    for text in capsys.readouterr():
        assert "\x1b" not in text
        assert "\u202e" not in text


CONSTANT = """\
NAME T
OBJSENSE
 {sense}
ROWS
 N C
 {side} R
COLUMNS
 X C {cost} R 1
RHS
 RHS R 3 C -7
ENDATA
"""


@pytest.mark.parametrize(("sense", "side", "cost"), [("MIN", "G", 1), ("MAX", "L", -1)])
def test_every_file_of_a_proof_counts_the_constant_of_the_objective(
    sense: str, side: str, cost: int, tmp_path: Path
) -> None:
    # 7 + x at x >= 3, least 10; 7 - x at 0 <= x <= 3, most 7
    best = 10 if sense == "MIN" else 7
    model, proof = tmp_path / "t.mps", tmp_path / "t.json"
    model.write_text(CONSTANT.format(sense=sense, side=side, cost=cost))
    files = [tmp_path / name for name in ("t.vipr", "alone.vipr", "s.vipr", "s.json")]
    tree, alone, *solved = map(str, files)
    for command in (
        ["prove", str(model), "--write", str(proof), "--write", tree],
        ["check", str(proof), "--stand-alone", alone],
        ["solve", str(model), "--write", solved[0], "--write", solved[1]],
    ):
        assert call(command) == 0
    for file in files:
        found = check_file(str(file))
        bound = found["lower" if sense == "MIN" else "upper"]
        reached = found[
            "value" if file.suffix == ".json" else "upper" if sense == "MIN" else "lower"
        ]
        assert (bound, reached) == (best, best), file.name
    for name in ("again.mps", "again.lp"):
        assert call(["solve", str(model), "--write", str(tmp_path / name)]) == 0
        assert farkas.prove(tmp_path / name).value == best
