"""A certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

import pytest

import farkas
from farkas.certificates import FormCertificate, Proof
from farkas.errors import NoAnswer, NotACertificate


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


def test_a_solution_without_a_certificate_says_how_to_get_one() -> None:
    with pytest.raises(NoAnswer, match="without a certificate: give certify=True"):
        farkas.check(farkas.solve("mlbroker/tiny", "mlbroker.relaxed"))
