"""Tree certificates as files, and what they are about."""

from __future__ import annotations

import json
from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates import Proof, check, from_json, to_json
from farkas.certificates.tree import TreeCertificate
from farkas.errors import FarkasError, FileProblem, NotACertificate
from farkas.exact.proving import prove_form
from farkas.forms.rational import RationalForm, as_rational
from tests.generators.rational import program


def made(form: RationalForm, **options: bool) -> TreeCertificate:
    found = prove_form(form, **options).certificate  # type: ignore[arg-type]
    assert isinstance(found, TreeCertificate)
    return found


def sample() -> RationalForm:
    return program([[2, 3]], cost=[-2, -3], rows=[(None, "19/2")], ends=[(0, 3)] * 2, whole=[1, 1])


def test_a_file_comes_back_and_proves_the_same() -> None:
    certificate = made(sample())
    back = from_json(to_json(certificate))
    assert back == certificate
    proof = check(back)
    assert (proof.bound, proof.value, proof.infeasible) == (-9, -9, False)
    assert (proof.provenance, proof.tolerance, proof.form) == ("file", 0.0, sample().sha256)
    assert proof.implied == 0
    assert 'the program that the file calls "small" is at least -9' in proof.statement


def test_without_its_program_it_needs_the_model() -> None:
    certificate = made(sample(), embed=False)
    assert certificate.data is None
    with pytest.raises(NotACertificate, match="holds no program"):
        check(from_json(to_json(certificate)))
    assert certificate.prove_of(sample(), "model").provenance == "model"
    with pytest.raises(NotACertificate, match="hashes to"):
        certificate.prove_of(sample().replace(offset=F(1)), "model")
    other = sample().replace(sense="max", numbers="binary")
    for one in (sample(), other):
        for sense, numbers in (("max", "binary"), ("max", "decimal"), ("min", "binary")):
            named = msgspec.structs.replace(
                certificate, form=one.sha256, sense=sense, numbers=numbers
            )
            if (sense, numbers) == (one.sense, one.numbers):
                named.require_same(one)
                continue
            with pytest.raises(NotACertificate, match="another sense or reading"):
                named.require_same(one)


def test_a_program_of_an_instance_is_rebuilt() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    certificate = found.certificate
    assert isinstance(certificate, TreeCertificate)
    instance = farkas.load("mlbroker/tiny")
    form = programs.build("mlbroker.relaxed[tight]").form(instance)
    again, whose = certificate.own_program(form, instance)
    assert (again.sha256, whose) == (as_rational(form).sha256, "instance")
    proof = farkas.check(certificate, instance)
    assert isinstance(proof, Proof)
    assert proof.bound == found.value
    assert proof.provenance == "instance"
    with pytest.raises(FarkasError):
        farkas.check(certificate, "mlbroker/harmonic")


@pytest.mark.parametrize("spoil", [
    {"tree": [[0, "1", 2], 0]}, {"tree": [-1]}, {"gain": 1}, {"extra": 1}, {"bound": "1e3"},
    {"bound": "2/0"}, {"bound": "1.5"}, {"numbers": "octal"}, {"form": "x"}, {"value": " 1"},
    {"ends": [[-2, 0, True, "1"]]}, {"tree": [[0, "9" * 30001], 0, 0]},
])  # fmt: skip
def test_what_is_no_such_file_is_refused(spoil: dict[str, object]) -> None:
    tree = {**json.loads(to_json(made(sample()))), **spoil}
    with pytest.raises((FileProblem, NotACertificate)):
        check(from_json(json.dumps(tree).encode()))
