"""Certificates of kinds, on a kind whose bound is written in the file."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from farkas.certificates.gadget import SUM_BITS, grid_exponent, rounded_down
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


def test_the_grid_leaves_room_for_all_terms():
    for terms in (1, 2**17, 2**18, 2**19, 10**9, 2**50):
        for largest in (5e-324, 1.0, 3.7, 1.79e308):
            exponent = grid_exponent(largest, terms)
            assert terms * Fraction(largest) * Fraction(2) ** exponent < 2 ** (SUM_BITS - 1)
    assert grid_exponent(1.0) == 39  # 1 becomes 2^39, below 2^40
    for largest, terms in ((np.inf, 1), (np.nan, 1), (-1.0, 1), (1.0, 2**58)):
        with pytest.raises(NotACertificate):
            grid_exponent(largest, terms)


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0, 1e308])
def test_rounding_down_refuses_what_it_cannot_hold(value):
    with pytest.raises(NotACertificate):
        rounded_down(np.array([[1.0, value]]), np.array([[2.0, 4.0]]), 0)


def test_the_grid_of_prices_by_hand():
    # 40 bits, and 57 less the bits of the number of terms; 1.0 is below 2**1
    assert [grid_exponent(1.0, terms) for terms in (0, 1, 2**16, 2**17, 2**18, 2**40)] == [
        39, 39, 39, 38, 37, 15,
    ]  # fmt: skip
    assert [grid_exponent(largest) for largest in (0.0, 0.75, 2.0, 3.0, 2.0**30)] == [
        0, 40, 38, 38, 9,
    ]  # fmt: skip
    assert grid_exponent(1.0, 2**55) == 0
    with pytest.raises(NotACertificate, match="cannot be added up"):
        grid_exponent(1.0, 2**56)


def test_sums_of_products_are_rounded_down_by_one_unit_at_most():
    rng = np.random.default_rng(1)
    amount, price = rng.uniform(0, 9, (50, 3)), rng.uniform(0, 9, (50, 3))
    found = rounded_down(amount, price, 20)
    for k in range(50):
        exact = sum(
            Fraction(a) * Fraction(p)
            for a, p in zip(amount[k].tolist(), price[k].tolist(), strict=True)
        )
        assert exact * 2**20 - 1 - Fraction(1, 1000) < int(found[k]) < exact * 2**20
    # every job on every node: (jobs, 1, resources) and (1, nodes, resources), as it is priced
    pairs = rounded_down(amount[:4, None], price[None, :6], 20)
    assert pairs.shape == (4, 6)
    for i, u in np.ndindex(4, 6):
        assert pairs[i, u] == rounded_down(amount[i : i + 1], price[u : u + 1], 20)[0]
    assert rounded_down(np.zeros((1, 2)), np.ones((1, 2)), 9).tolist() == [0]
    assert rounded_down(np.ones((1, 2)), np.ones((1, 2)), 1).tolist() == [3]
    # the largest price of 41 bits is kept, the next is not
    for value, fine in ((2.0**41 - 4, True), (2.0**41 + 4096, False)):
        if fine:
            assert rounded_down(np.ones((1, 1)), np.array([[value]]), 0) == 2**41 - 5
        else:
            with pytest.raises(NotACertificate, match="out of range"):
                rounded_down(np.ones((1, 1)), np.array([[value]]), 0)
