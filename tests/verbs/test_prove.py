"""Proving whatever holds a program."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import highspy
import pytest

import farkas
from farkas.certificates import Proof
from farkas.errors import FarkasError, FileProblem, InvalidOption, NotACertificate
from farkas.forms.rational import as_rational
from farkas.verbs.programs import find_program, trace
from farkas.verbs.prove import prove, read_form
from tests.generators.rational import program

MPS = "NAME m\nROWS\n N c\n G r\nCOLUMNS\n x c 1 r 0.1\nRHS\n s r 0.3\nENDATA\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.mps"
    path.write_text(MPS)
    return path


def test_a_file_is_read_as_decimals_unless_doubles_are_asked_for(model: Path) -> None:
    assert prove(model).value == 3
    assert prove(str(model), numbers="decimal").form.sha256 == read_form(model)[0].sha256
    binary = prove(model, numbers="binary")
    assert binary.value == F(0.3) / F(0.1)
    assert binary.value != 3


def test_a_program_of_an_instance_is_read_as_doubles() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    instance = farkas.load("mlbroker/tiny")
    form = as_rational(trace(find_program("mlbroker.relaxed[tight]"), instance))
    assert found.form.sha256 == form.sha256
    assert found.form.numbers == "binary"
    assert found.certificate is not None
    assert found.certificate.instance is not None
    assert found.certificate.kind == "mlbroker"
    again = prove(instance, find_program("mlbroker.relaxed[tight]"))
    assert again.value == found.value


def test_the_optimum_of_an_integer_program_of_a_kind() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.offline", time_limit=60)
    assert found.status == "optimal"
    solved = farkas.solve("mlbroker/tiny", "mlbroker.offline")
    assert float(found.value) == pytest.approx(solved.answer.objective)


def test_a_form_and_a_model_in_memory_are_proved_as_they_are() -> None:
    form = program([["1/3"]], cost=[1], rows=[(1, None)])
    assert prove(form).value == 3
    model = highspy.Highs()
    model.silent()
    x = model.addVariable(0, 4, obj=0.0, name="x")
    model.addConstr(x >= 0.3)
    model.minimize(x)
    assert prove(model).value == F(0.3)
    assert prove(model, numbers="decimal").value == F(3, 10)


@pytest.mark.parametrize(("options", "problem"), [
    ({"gap": -0.1}, "gap"), ({"gap": 1}, "gap"), ({"gap": "x"}, "gap"),
    ({"time_limit": 0}, "time_limit"),
    ({"time_limit": -1.0}, "time_limit"), ({"time_limit": float("nan")}, "time_limit"),
    ({"solver": 3}, "solver"), ({"solver": "nosuch"}, "nosuch"), ({"numbers": "octal"}, "numbers"),
    ({"program": "mlbroker.offline"}, "program of its own"),
])  # fmt: skip
def test_impossible_options_are_refused(options: dict[str, Any], problem: str, model: Path) -> None:
    with pytest.raises(FarkasError, match=problem) as caught:
        prove(model, **options)
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="model cannot be 3: give the path"):
        prove(3)
    with pytest.raises(FileProblem):
        prove(tmp_path / "none.mps")
    with pytest.raises(InvalidOption, match="has many; name one of mlbroker"):
        prove("mlbroker/tiny")
    with pytest.raises(InvalidOption, match="read binary"):
        prove("mlbroker/tiny", "mlbroker.offline", numbers="decimal")
    with pytest.raises(InvalidOption, match="program of its own"):
        prove(program([], cost=[1]), "mlbroker.offline")


def test_what_is_saved_is_checked_with_the_model(model: Path, tmp_path: Path) -> None:
    found = prove(model, embed=False)
    path = tmp_path / "p.json"
    farkas.save(found, path)
    with pytest.raises(NotACertificate, match="holds no program"):
        farkas.check(path)
    proof = farkas.check(path, model=model)
    assert isinstance(proof, Proof)
    assert (proof.bound, proof.value, proof.provenance) == (3, 3, "model")
    assert "read again from the given model" in proof.statement
    model.write_text(MPS.replace("0.3", "0.30000000000000004"))
    with pytest.raises(NotACertificate, match="hashes to"):
        farkas.check(path, model=model)


def test_a_binary_proof_is_about_the_binary_reading(model: Path) -> None:
    found = prove(model, numbers="binary")
    assert found.certificate is not None
    proof = farkas.check(found.certificate, model=model)
    assert isinstance(proof, Proof)
    assert proof.value == found.value
    with pytest.raises(InvalidOption, match="not both"):
        farkas.check(found.certificate, "mlbroker/tiny", model=model)
    other = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    with pytest.raises(InvalidOption, match="farkas prove"):
        farkas.check(other.certificate, model=model)


def test_progress_is_a_function_of_nodes_bound_and_value() -> None:
    seen: list[Any] = []
    prove("mlbroker/tiny", "mlbroker.offline", progress=lambda *told: seen.append(told))
    assert all(len(told) == 3 for told in seen)
