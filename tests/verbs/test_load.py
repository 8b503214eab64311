"""Whatever file farkas writes is loaded as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import farkas
from farkas.adversary.gap import Gap
from farkas.adversary.shipped import find_statement
from farkas.certificates import Certificate
from farkas.errors import FarkasError, FileProblem, InvalidInstance, InvalidOption
from farkas.instances import Instance


def test_instances_runs_certificates_and_statements_come_back(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    wanted = {
        "instance": (farkas.load("mlbroker/tiny"), Instance),
        "run": (run, type(run)),
        "certificate": (solution.certificate, Certificate),
    }
    for name, (what, kind) in wanted.items():
        path = tmp_path / f"{name}.json"
        farkas.save(what, path)
        found = farkas.load(path)
        assert isinstance(found, kind)
        assert found == what
        assert farkas.load(str(path)) == what
    # a run comes back without the instance that it was made on, and is proved with it
    loaded = farkas.load(tmp_path / "run.json")
    assert loaded.made_on is None
    assert loaded.verify("mlbroker/tiny").ratio == run.ratio
    assert isinstance(farkas.load(find_statement("mlbroker.local").path), Gap)


def test_what_is_no_file_of_farkas_is_named(tmp_path: Path) -> None:
    for name, content, words in (
        ("rng.mps", "NAME x\n", "is a model: farkas prove"),
        ("x.csv", "a,b\n1,2\n", "is a table: farkas import csv"),
        ("s.toml", 'name = "x"\n', "is a sweep's configuration"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(FileProblem, match=words):
            farkas.load(tmp_path / name)
    with pytest.raises(FileProblem, match="no such file"):
        farkas.load(tmp_path / "none.json")
    with pytest.raises(FarkasError, match="did you mean mlbroker/tiny"):
        farkas.load("mlbroker/tinny")
    with pytest.raises(InvalidOption, match="file cannot be 3"):
        farkas.load(3)  # type: ignore[arg-type]


def test_a_damaged_instance_or_run_keeps_its_own_complaint(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"farkas": 1, "kind": "mlbroker"}')
    with pytest.raises(InvalidInstance, match=r"bad\.json"):
        farkas.load(path)
    path.write_text('{"algorithm": "x"}')
    with pytest.raises(FileProblem, match="is no run file"):
        farkas.load(path)
