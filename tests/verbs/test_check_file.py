"""Files of certificates and runs are told apart and proved."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.certificates import Proof
from farkas.errors import FileProblem, MissingInstance
from farkas.verbs.check_file import opened, prove_file


def test_a_file_is_proved_as_what_it_holds(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    for name, what in {"run": run, "bound": solution.certificate}.items():
        farkas.save(what, tmp_path / f"{name}.json")
    proof = prove_file(tmp_path / "bound.json", "mlbroker/tiny")
    assert isinstance(proof, Proof)
    assert (proof.bound, proof.provenance) == (solution.bound, "instance")
    assert prove_file(tmp_path / "run.json", "mlbroker/tiny").ratio == run.ratio
    assert prove_file(tmp_path / "run.json", None).ratio == run.ratio  # its instance ships
    farkas.save(msgspec.structs.replace(run, instance="mine"), tmp_path / "mine.json")
    with pytest.raises(MissingInstance):
        prove_file(tmp_path / "mine.json", None)


def test_what_is_neither_certificate_nor_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"certificates": []}')
    with pytest.raises(FileProblem, match=r"other.json: no certificate"):
        opened(path)
