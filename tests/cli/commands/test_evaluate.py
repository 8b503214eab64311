"""`farkas evaluate` prints quantities and says which have no value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_evaluate_prints_exactly_the_values(capsys: Capture) -> None:
    assert call(["evaluate", TINY, "mlbroker.relaxed[printed]", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values == {"mlbroker.relaxed[printed]": pytest.approx(14.192857142857145, abs=1e-5)}


def test_a_key_without_value_is_explained_and_no_answer_only_where_none_has_one(
    capsys: Capture,
) -> None:
    # tiny was made by hand, so ties decide the myopic baselines
    assert call(["evaluate", TINY, "mlbroker.oasis", "--json"]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {}
    assert captured.err.startswith("farkas: mlbroker.oasis: instances made by hand")
    assert call(["evaluate", TINY, "mlbroker.oasis", "mlbroker.big_m_smallest"]) == 0
    captured = capsys.readouterr()
    assert "mlbroker.oasis" not in captured.out
    assert captured.err.count("\n") == 1


def test_an_error_of_one_key_leaves_the_others_their_values(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    tiny = str(shipped("coded/tiny"))
    keys = ["coded.simple_greedy", "coded.chance"]  # a program for Pyomo only
    assert call(["evaluate", tiny, *keys, "--json"]) == 2
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)) == ["coded.simple_greedy"]
    assert "coded.chance: coded.chance[shared] is not linear" in captured.err

    def broken(*given: object) -> object:
        raise ZeroDivisionError("nothing to divide by")

    # the gravest of several errors is the exit code
    monkeypatch.setattr("farkas.quantities.coded.least_level", broken)
    assert call(["evaluate", tiny, *keys]) == 70
    assert "internal error: ZeroDivisionError: nothing to divide by" in capsys.readouterr().err


def test_without_keys_those_the_file_expects_are_computed_in_silence(
    tmp_path: Path, capsys: Capture
) -> None:
    from farkas.instances import read, write

    expected = {
        key: {"value": 77, "tol": 0} for key in ("mlbroker.oasis", "mlbroker.local_expected")
    }
    write(read(TINY).replace(expected=expected), tmp_path / "asking.json")
    assert call(["evaluate", str(tmp_path / "asking.json"), "--json"]) == 0
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)) == ["mlbroker.local_expected"]
    assert captured.err == ""


def test_a_proved_bound_is_written_and_checks_against_its_instance_only(
    tmp_path: Path, capsys: Capture
) -> None:
    market, kept = str(shipped("dps/tiny")), str(tmp_path / "bound.json")
    assert call(["evaluate", market, "dps.bfp_bound", "--write", kept, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)["dps.bfp_bound"]
    assert call(["check", kept, "--instance", market, "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert (checked["bound"], checked["program"]) == (value, "dps.bfp")
    assert call(["check", kept, "--instance", str(shipped("dps/demo"))]) == 1


def test_only_the_certificate_of_one_proved_bound_is_written(
    tmp_path: Path, capsys: Capture
) -> None:
    market, kept = str(shipped("dps/one_server")), str(tmp_path / "bound.json")
    for keys in ([], ["dps.bfp", "dps.bfp_bound"]):
        assert call(["evaluate", market, *keys, "--write", kept]) == 2
        assert "--write keeps the certificate of one quantity; name one" in capsys.readouterr().err
    assert call(["evaluate", market, "dps.bfp", "--write", kept]) == 3
    assert "dps.bfp has no certificate to write" in capsys.readouterr().err
    assert not Path(kept).exists()
    missing = str(tmp_path / "none" / "bound.json")
    assert call(["evaluate", market, "dps.bfp_bound", "--write", missing]) == 2
