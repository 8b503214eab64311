"""A certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import farkas
from farkas.certificates import FormCertificate, Proof
from farkas.certificates.vipr_proof import ViprProof
from farkas.errors import InvalidOption, NoAnswer, NotACertificate
from tests.certificates.test_vipr_check import ROUNDING


def test_a_certificate_of_another_instance_is_rejected() -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed", certify=True)
    assert isinstance(solution.certificate, FormCertificate)
    with pytest.raises(NotACertificate, match="the certificate is about"):
        farkas.check(solution.certificate, "mlbroker/surplus_worker")


def test_a_solution_is_proved_again_by_its_certificate() -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    for instance, source in ((None, "form"), ("mlbroker/tiny", "instance")):
        proof = farkas.check(solution, instance)
        assert isinstance(proof, Proof)
        assert (proof.bound, proof.provenance) == (solution.bound, source)
    with pytest.raises(NotACertificate, match="the certificate is about"):
        farkas.check(solution, "mlbroker/surplus_worker")


@pytest.mark.parametrize(
    ("program", "by"),
    [
        ("mlbroker.offline", "mlbroker.relaxed[tight,printed]"),
        ("eris.offline", "eris.pooled_prices"),
    ],
)
def test_what_another_program_bounds_is_proved_again_from_the_instance(
    program: str, by: str
) -> None:
    name = f"{program.partition('.')[0]}/tiny"
    solution = farkas.solve(name, program, certify=True)
    assert solution.proved_by == by
    with pytest.raises(InvalidOption, match=f"proved by {re.escape(by)}, .* give it"):
        farkas.check(solution)
    assert farkas.check(solution, name).bound == solution.bound


def test_a_solution_without_a_certificate_says_how_to_get_one() -> None:
    with pytest.raises(NoAnswer, match="without a certificate: give certify=True"):
        farkas.check(farkas.solve("mlbroker/tiny", "mlbroker.relaxed"))


def test_a_vipr_file_is_proved_with_as_much_work_as_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "rounding.vipr"
    file.write_text(ROUNDING)
    proof = farkas.check(file)
    assert isinstance(proof, ViprProof)
    assert (proof.lower, proof.upper) == (1, 1)
    assert farkas.check(file, most_work=10**6) == proof
    with pytest.raises(NotACertificate, match="more than 1 steps"):
        farkas.check(file, most_work=1)


def test_what_was_proved_in_this_process_is_checked_against_its_model(tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    path.write_text("min\n obj: x\nst\n c: x >= 2\nbounds\n x <= 10\nend\n")
    found = farkas.prove(path)
    assert farkas.check(found, model=path).bound == 2
    other = tmp_path / "other.lp"
    other.write_text(path.read_text().replace(">= 2", ">= 3"))
    with pytest.raises(NotACertificate):
        farkas.check(found, model=other)
    with pytest.raises(NoAnswer, match="nothing was proved"):
        farkas.check(dataclasses.replace(found, certificate=None), model=path)
    with pytest.raises(NotACertificate, match="with its model"):
        farkas.check(found.certificate, "mlbroker/tiny")
    with pytest.raises(InvalidOption, match="farkas prove MODEL --write FILE"):
        farkas.check(farkas.run("mlbroker/tiny", "mlbroker.local"), model=path)
