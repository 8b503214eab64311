"""Certificates of bounds: which form they are about, and what their multipliers prove."""

from __future__ import annotations

from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.certificates import (
    certify,
    check,
    exact_bound,
    from_json,
    to_json,
)
from farkas.certificates.bound import (
    show,
)
from farkas.certificates.doubles import MOST_DIGITS, long_rational, text_of
from farkas.errors import NotACertificate
from tests.certificates.test_bound import one_variable
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


def test_multipliers_that_are_no_real_numbers_are_refused():
    form = one_variable()
    for multipliers in (["1"], [None], np.array([1 + 0j]), np.array(["1"]), [F(10) ** 400]):
        with pytest.raises(NotACertificate, match="multiplier"):
            exact_bound(form, multipliers)
    for given in (np.array([0], dtype=np.int32), [F(0)], np.longdouble([0])):
        assert exact_bound(form, given) == exact_bound(form, [0.0])


def test_values_beyond_doubles_can_be_shown():
    assert (show(F(1, 3)), show(F(10**400))) == ("0.333", "beyond 1e308")


@pytest.mark.parametrize("value", [
    F(0), F(-7, 2), F(10**3999), F(-(10**4000)), F(3**12000, 7**9000), F(-1, 10**8000 + 1),
    F(10**9000 - 1), F(10**8000 * 7),
], ids=range(8))  # fmt: skip
def test_numbers_come_back(value: F) -> None:
    assert long_rational(text_of(value), "x") == value


def test_short_ones_are_written_as_python_writes_them() -> None:
    for value in (F(1, 3), F(-5), F(0), F(10**50, 3)):
        assert text_of(value) == str(value)


def test_as_many_digits_as_are_allowed_are_read_on_either_side() -> None:
    sevens, most = (10**MOST_DIGITS - 1) // 9 * 7, "7" * MOST_DIGITS
    assert long_rational(f"{most}/3", "x") == F(sevens, 3)
    assert long_rational(f"-3/{most}", "x") == F(-3, sevens)
    for text in (f"{most}7", f"{most}7/3", f"3/{most}7"):
        with pytest.raises(NotACertificate, match="is not a fraction"):
            long_rational(text, "x")


@pytest.mark.ids(99)
@pytest.mark.parametrize("text", [
    "", "1.5", "+1", "01", "1/0", "1/01", "--1", "0" * 5000, "1" * (MOST_DIGITS + 1),
    "1" * 5000 + "/0", "1" * 5000 + "x", "1" * 5000 + "/-2", "\u0661" * 5000, "1" * 5000 + "\n",
], ids=range(14))  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotACertificate, match="is not a fraction"):
        long_rational(text, "x")
