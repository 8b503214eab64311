"""Certificates of bounds: which form they are about, and what their multipliers prove."""

from __future__ import annotations

import json
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.certificates import (
    certify,
    check,
    from_json,
    to_json,
)
from farkas.errors import NotACertificate
from tests.generators.certificates import form, good
from tests.generators.forms import small


def test_a_certificate_without_data_needs_the_rebuilt_form():
    certificate = from_json(to_json(good(embed=False)))
    with pytest.raises(NotACertificate, match="with its instance"):
        check(certificate)
    assert check(certificate, form()).provenance == "form"


def test_a_certificate_of_another_form_is_refused():
    other = form().replace(cost=np.array([1.0, 3.0]))
    with pytest.raises(NotACertificate, match="the rebuilt small hash to"):
        check(good(), other)


def test_a_proof_says_that_it_rests_on_implied_bounds():
    implied = small(np.zeros((0, 1)), cost=[-1.0], implied_upper=np.array([4.0]))
    proof = check(from_json(to_json(certify(implied, np.zeros(0)))))
    assert (proof.bound, proof.implied) == (-4, 1)
    said = (
        'calls "small" among points within the file\'s implied bounds of 1 variable is at least -4'
    )
    assert said in proof.statement
    assert proof.within_implied_bounds
    rebuilt = check(certify(implied, np.zeros(0)), implied)
    assert "small is at least -4.  Uses the implied bounds of 1 variables." in rebuilt.statement
    assert not rebuilt.within_implied_bounds


def test_the_ratio_of_a_point_says_nothing_about_bounds_that_are_the_file_s_word():
    implied = small([[1.0]], cost=[1.0], row_lower=[2.0], implied_lower=np.array([3.0]))
    claim = certify(implied, np.zeros(1), point=np.array([3.0]))
    assert check(claim).ratio is None
    assert check(claim, implied).ratio == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"kind": "gadget"}, "says kind gadget"),
        ({"kind": "small"}, "says kind small"),
        ({"options": {"relax": "tight"}}, "gives the options"),
        ({"options": {"nonsense": 7}}, "gives the options"),
    ],
)
def test_a_kind_or_options_that_the_program_does_not_have_are_refused(words, said):
    with pytest.raises(NotACertificate, match=said):
        check(msgspec.structs.replace(good(), **words))


def test_kind_and_options_that_the_name_confirms_are_accepted():
    named = form().replace(name="toy.small[tight,strict]")
    about = {"kind": "toy", "options": {"relax": "tight", "semantics": "strict"}}
    check(certify(named, np.zeros(named.num_rows), **about))
    with pytest.raises(NotACertificate, match="gives the options"):
        check(certify(named, np.zeros(named.num_rows), options={"relax": "tight"}))


def test_a_weaker_claim_is_proved_and_a_stronger_one_is_not():
    plain = json.loads(to_json(good()))
    assert check(from_json(json.dumps(plain | {"bound": "4"}).encode())).bound == 4
    stronger = from_json(json.dumps(plain | {"bound": "9000000001/2000000000"}).encode())
    with pytest.raises(NotACertificate, match=r"claims the bound 4.500000001, .* prove 4.5 only"):
        check(stronger)


@pytest.mark.parametrize(
    ("sense", "weaker", "stronger"), [("min", "8/2", "10/2"), ("max", "-8/2", "-10/2")]
)
def test_a_claim_as_strong_as_its_proof_is_accepted_and_a_stronger_one_is_not(
    sense, weaker, stronger
):
    sign = 1.0 if sense == "min" else -1.0
    one = form().replace(sense=sense, cost=sign * form().cost, offset=sign * 0.5)
    made = certify(one, sign * np.array([1.5, -0.5]))
    assert F(made.bound) == sign * F(9, 2)
    for bound in (made.bound, weaker):
        proof = check(msgspec.structs.replace(made, bound=bound))
        assert (proof.bound, proof.infeasible, proof.tolerance) == (F(bound), False, 0.0)
    with pytest.raises(NotACertificate, match="prove"):
        check(msgspec.structs.replace(made, bound=stronger))


def test_the_claimed_tolerance_is_part_of_the_proof():
    point = np.array([2.0 - 2.0**-21, 1.0])
    proof = check(good(point=point, tolerance=2.0**-20))
    assert proof.tolerance == 2.0**-20
    assert proof.value == F(9, 2) - F(1, 2**21)
    assert check(good(point=np.array([2.0, 1.0]))).tolerance == 0.0


@pytest.mark.parametrize("off", [F(1, 10**30), F(-1, 10**30), F(1), F(-9)])
def test_a_point_reaches_what_it_is_said_to_reach_and_nothing_else(off):
    made = good(point=np.array([2.0, 1.0]))
    value = F(made.point.objective)
    point = msgspec.structs.replace(made.point, objective=str(value + off))
    with pytest.raises(NotACertificate, match="the point is claimed to reach"):
        check(msgspec.structs.replace(made, point=point))
    doubled = f"{2 * value.numerator}/{2 * value.denominator}"
    same = msgspec.structs.replace(made.point, objective=doubled)
    assert check(msgspec.structs.replace(made, point=same)).value == value


def test_a_certificate_of_another_sense_than_its_form_is_refused():
    made = msgspec.structs.replace(good(embed=False), sense="max")
    with pytest.raises(NotACertificate):
        check(made, form())


@pytest.mark.parametrize("digit", ["0", "f"])
def test_a_hash_that_is_another_is_refused_whichever_is_larger(digit):
    other = msgspec.structs.replace(good(), form=digit * 64)
    with pytest.raises(NotACertificate, match="its own data hash to"):
        check(other)
    with pytest.raises(NotACertificate, match="the rebuilt small hash to"):
        check(other, form())


def test_options_need_not_be_given_beside_a_name_that_spells_them():
    named = form().replace(name="toy.small[strict]")
    made = certify(named, np.array([1.5, -0.5]), kind="toy")
    assert check(made).bound == F(9, 2)
    assert check(msgspec.structs.replace(made, options={"semantics": "strict"})).bound == F(9, 2)
    with pytest.raises(NotACertificate, match="gives the options"):
        check(msgspec.structs.replace(made, options={"semantics": "printed"}))
