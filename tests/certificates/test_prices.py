"""What certificates of formulas of a kind claim, against what their numbers prove."""

from __future__ import annotations

from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from farkas.certificates.prices import PriceCertificate
from farkas.errors import NotACertificate
from farkas.forms import Sense

INSTANCE: Any = SimpleNamespace(kind="toy", sha256="0" * 64)


def certificate(
    bound: str | None, proved: str | None, bounds: Sense = "max", **fields: Any
) -> PriceCertificate:
    """Certificate that claims ``bound``, and whose numbers prove ``proved``."""

    class Toy(PriceCertificate, frozen=True, kw_only=True, tag="toy"):
        about = "toy"
        subject = "toy.linear"
        numbers: str | None
        bound: str | None

        def prove_bound(self, instance: Any, /) -> F | None:
            assert instance is INSTANCE
            return None if self.numbers is None else F(self.numbers)

    Toy.bounds = bounds
    return Toy(
        **{"kind": "toy", "program": "toy.linear", "bound": bound, "numbers": proved} | fields
    )


@pytest.mark.parametrize(
    ("bounds", "weaker", "stronger"), [("max", "8", "13/2"), ("min", "6", "15/2")]
)
def test_a_weaker_bound_may_be_claimed_and_a_stronger_one_not(bounds, weaker, stronger):
    for claim in ("7", weaker):
        proof = certificate(claim, "7", bounds).prove(None, INSTANCE)
        assert (proof.bound, proof.sense, proof.infeasible) == (F(claim), bounds, False)
        assert (proof.program, proof.provenance, proof.value) == ("toy.linear", "instance", None)
    with pytest.raises(NotACertificate, match=rf"bound {float(F(stronger))}, .* prove 7 only"):
        certificate(stronger, "7", bounds).prove(None, INSTANCE)


def test_that_there_is_no_point_needs_numbers_that_prove_it():
    proof = certificate(None, None).prove(None, INSTANCE)
    assert (proof.bound, proof.infeasible) == (None, True)
    # where there is no point, every number bounds the value of all
    assert certificate("3", None).prove(None, INSTANCE).bound == 3
    with pytest.raises(NotACertificate, match=r"claims that there is no point, .* prove 7 only"):
        certificate(None, "7").prove(None, INSTANCE)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": None}, "not toy.linear of kind None"),
        ({"kind": "eris"}, "not toy.linear of kind eris"),
        ({"program": "toy.integer"}, "bound toy.linear of kind toy, not toy.integer"),
    ],
)
def test_numbers_of_one_program_prove_nothing_about_another(fields, words):
    with pytest.raises(NotACertificate, match=words):
        certificate("7", "7", **fields).prove(None, INSTANCE)


@pytest.mark.parametrize("instance", [None, SimpleNamespace(kind="eris", sha256="0" * 64)])
def test_without_an_instance_of_the_kind_nothing_is_proved(instance):
    with pytest.raises(NotACertificate, match="an instance of kind toy; give it"):
        certificate("7", "7").prove(None, instance)


def test_a_claim_that_no_double_holds_is_refused_in_words():
    huge = "1" + "0" * 400
    with pytest.raises(NotACertificate, match=r"the bound 10{36}\.\.\., .* prove 7 only"):
        certificate(huge, "7", "min").prove(None, INSTANCE)


def test_a_claim_is_a_fraction():
    with pytest.raises(NotACertificate, match=r"bound: '0\.5' is not a fraction"):
        certificate("0.5", "0.5").prove(None, INSTANCE)


def test_options_that_mean_nothing_are_refused():
    with pytest.raises(NotACertificate, match="take no options"):
        certificate("7", "7", options={"rewards": "capped"}).prove(None, INSTANCE)


@pytest.mark.parametrize(("bounds", "step"), [("max", -1), ("min", 1)])
def test_a_claim_that_is_better_by_a_hair_is_refused(bounds, step):
    hair = F(step, 10**30)
    assert certificate(str(7 - hair), "7", bounds).prove(None, INSTANCE).bound == 7 - hair
    with pytest.raises(NotACertificate, match="prove 7 only"):
        certificate(str(7 + hair), "7", bounds).prove(None, INSTANCE)
