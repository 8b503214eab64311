"""The command line on good input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.instances import read
from farkas.instances.library import path as shipped
from farkas.online import algorithms

TINY = str(shipped("mlbroker/tiny"))

Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"farkas {farkas.__version__}\n"


def test_no_words_show_the_help(capsys: Capture) -> None:
    assert call([]) == 0
    assert "farkas demo" in capsys.readouterr().out


COMMANDS = [
    *("demo", "run", "compare", "solve", "evaluate", "check", "claims", "show"),
    *("generate", "import", "solvers"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_knows_json(command: str, capsys: Capture) -> None:
    assert call([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out
    assert "Usage: farkas " + command in out


@pytest.mark.parametrize(
    "words",
    [
        ["demo"],
        ["solvers"],
        ["claims"],
        ["claims", "mlbroker"],
        ["compare", TINY],
        ["evaluate", TINY, "mlbroker.offline[printed]", "mlbroker.relaxed[tight]"],
        ["run", TINY, "-a", "mlbroker.fractional"],
        ["show", "mlbroker.offline"],
        ["show", "mlbroker.fractional"],
        ["show", "mlbroker.offline[strict]", "--latex"],
        ["show", "coded.sca"],
        ["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--certify"],
        ["solve", TINY, "-p", "mlbroker.offline", "--relax", "--point"],
    ],
    ids=" ".join,
)
def test_json_is_one_object_and_nothing_else(words: list[str], capsys: Capture) -> None:
    assert call([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert isinstance(json.loads(captured.out), dict)
    assert captured.err == ""
    assert call(words) == 0  # and the table works too
    assert capsys.readouterr().out.strip()


def test_a_name_of_several_things_shows_each(capsys: Capture) -> None:
    assert call(["show", "coded.expected"]) == 0
    text = capsys.readouterr().out
    assert (
        text.index("As a program:") < text.index("As an algorithm:") < text.index("As a quantity")
    )
    assert "(7), P3" in text
    assert "vertex of a linear program" in text
    assert call(["show", "coded.expected", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [shown["role"], *(one["role"] for one in shown["also"])] == [
        "program",
        "algorithm",
        "quantity",
    ]
    # one meaning: no headings
    assert call(["show", "mlbroker.fractional"]) == 0
    assert "As an" not in capsys.readouterr().out


def test_solve_proves_the_optimum_of_the_tiny_relaxation(capsys: Capture) -> None:
    # The sheet of the kind gives 16.8 for the tight relaxation.
    assert call(["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--certify", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["claim"] == "optimal"
    assert shown["objective"] == pytest.approx(16.8, abs=1e-6)
    assert shown["proved_bound"] == pytest.approx(16.8, abs=1e-6)
    assert shown["feasible"] is True
    assert -1e-9 <= shown["proved_gap"] <= 1e-6


def test_variants_stand_in_brackets_or_behind_a_flag(capsys: Capture) -> None:
    words = ["solve", TINY, "--json", "-p"]
    assert call([*words, "mlbroker.offline[strict]"]) == 0
    brackets = json.loads(capsys.readouterr().out)
    assert call([*words, "mlbroker.offline", "--variant", "semantics=strict"]) == 0
    flag = json.loads(capsys.readouterr().out)
    assert brackets["program"] == flag["program"]
    assert "strict" in flag["program"]
    assert brackets["form_sha256"] == flag["form_sha256"]


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_solve_writes_the_program(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"program{suffix}"
    assert call(["solve", TINY, "-p", "mlbroker.offline", "--write", str(out)]) == 0
    assert "enough_workers" in out.read_text()


def test_evaluate_prints_exactly_the_values(capsys: Capture) -> None:
    assert call(["evaluate", TINY, "mlbroker.relaxed[printed]", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values == {"mlbroker.relaxed[printed]": pytest.approx(14.192857142857145, abs=1e-5)}


def test_a_generated_instance_is_the_same_in_a_file_and_on_standard_output(
    tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "made.json"
    words = ["generate", "mlbroker", "--preset", "small", "--seed", "4"]
    assert call([*words, "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] == read(out).sha256
    assert call(words) == 0
    assert capsys.readouterr().out == out.read_text()


def test_run_writes_what_it_prints(tmp_path: Path, capsys: Capture) -> None:
    from farkas.online import read_run

    out = tmp_path / "run.json"
    words = ["run", TINY, "-a", "mlbroker.fractional", "--set", "relax=tight", "-o", str(out)]
    assert call([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    kept = read_run(out)
    assert kept.options["relax"] == "tight"
    assert shown["value"] == kept.value
    assert kept.certificate is not None
    assert kept.value / float(kept.certificate) == pytest.approx(kept.ratio, rel=1e-9)


def test_compare_measures_all_against_one_bound(capsys: Capture) -> None:
    assert call(["compare", TINY, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {e["algorithm"] for e in shown["algorithms"]} == set(algorithms.names("mlbroker."))
    for entry in shown["algorithms"]:
        if entry["ratio"] is not None:
            expected = max(1.0, entry["value"] / shown["bound"]["value"])
            assert entry["ratio"] == pytest.approx(expected, rel=1e-9)


def test_a_single_refuted_claim_is_a_negative_result(capsys: Capture) -> None:
    from farkas.proofs import Standing, claim, claims, refuted

    @claim("mlbroker.false_for_this_test", source="nowhere")
    def false() -> object:
        """All jobs are free."""
        return refuted("mlbroker/tiny", cost=16.8)

    try:
        assert call(["claims", "mlbroker.false_for_this_test", "--run", "--json"]) == 1
        (entry,) = json.loads(capsys.readouterr().out)["claims"]
        assert entry["verdict"]["standing"] == Standing.REFUTED
        assert call(["claims", "mlbroker.false_for_this_test"]) == 0  # asked for words only
    finally:
        del claims._items["mlbroker.false_for_this_test"]


def test_an_infeasible_program_is_explained_in_words(capsys: Capture) -> None:
    # One job of the instance fits on no server whole, nor spread: its row has no variable left.
    words = ["solve", str(shipped("dps/tiny")), "-p", "dps.placement_sequence"]
    assert call(words) == 1
    captured = capsys.readouterr()
    assert "exactly_once[job=3]  (2a)" in captured.out
    assert "Every job is accepted." in captured.out
    assert "proved exactly" in captured.out
    assert "is infeasible" in captured.err
    assert call([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["explanation"]
    assert found["finding"] == "rows"
    assert found["irreducible"] is True
    assert [row["family"] for row in found["rows"]] == ["exactly_once"]


def test_the_certificate_of_an_infeasible_program_checks(capsys: Capture, tmp_path: Path) -> None:
    tiny = str(shipped("dps/tiny"))
    for suffix in ("json", "vipr"):
        proof = str(tmp_path / f"proof.{suffix}")
        assert call(["solve", tiny, "-p", "dps.placement_sequence", "--write", proof]) == 1
        assert call(["check", proof]) == 0
        assert "infeasible" in capsys.readouterr().out.splitlines()[-1]
