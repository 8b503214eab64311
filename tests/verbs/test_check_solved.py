"""What was solved or proved here, proved again: about its own program, or an instance."""

from __future__ import annotations

import pytest

import farkas
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.proved import Proved
from farkas.verbs.check_solved import prove_solved


def test_what_was_proved_is_checked_about_an_instance() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.offline", embed=False)
    for proof in (prove_solved(found, "mlbroker/tiny"), prove_solved(found, None)):
        assert (proof.bound, proof.value) == (found.bound, found.value)
    assert prove_solved(found, "mlbroker/tiny").instance is not None
    with pytest.raises(NotACertificate):
        farkas.check(found, "mlbroker/return_trip")
    with pytest.raises(NoAnswer, match="nothing was proved"):
        farkas.check(Proved(form=found.form, status="bound"), "mlbroker/tiny")


def test_what_was_solved_is_checked_about_its_program() -> None:
    found = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    assert prove_solved(found, None).bound == found.bound
    assert prove_solved(found, "mlbroker/tiny").instance is not None
    plain = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]")
    with pytest.raises(NoAnswer, match="solved without a certificate"):
        prove_solved(plain, None)
