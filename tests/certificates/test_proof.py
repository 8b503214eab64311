"""What a proof says in words and numbers."""

from __future__ import annotations

import dataclasses
import decimal
import math
import re
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.certificates import (
    Proof,
    certify,
    certify_infeasible,
    check,
    exact_bound,
)
from farkas.certificates.files import read, to_json, write
from farkas.certificates.proof import provenance, rounded
from farkas.certificates.ratio import beaten, certified_ratio, ratio_at_most, ratio_words
from farkas.errors import NotACertificate
from farkas.tolerances import FEASIBLE
from tests.certificates.test_repair import transport
from tests.generators.certificates import form, good
from tests.generators.forms import INF, small


def of_instance(program, sense, bound, value=None):
    return Proof(program=program, sense=sense, bound=bound, value=value, provenance="instance")


@pytest.mark.parametrize(
    ("sense", "said"), [("min", "at least 148.733774"), ("max", "at most 148.733775")]
)
def test_the_sentence_rounds_to_the_side_that_is_proved(sense, said):
    # 148.7337745 to nine digits: down for a lower bound, up for an upper one
    proof = Proof(
        program="p", sense=sense, bound=F("148.7337745"), provenance="file",
    )  # fmt: skip
    assert f"{said}." in proof.statement


def test_a_rebuilt_program_is_named_without_quoting_the_file():
    assert "of small is at least" in check(good(), form()).statement


def test_a_proof_about_an_instance_says_so_and_what_a_point_reaches():
    proof = of_instance("p", "min", F(1, 3), F(2, 3))
    assert proof.statement == (
        "The optimal value of p is at least 0.333333333.  A point that is feasible exactly reaches"
        " 0.666666667.  The program was rebuilt from its instance."
    )
    nothing = of_instance("p", "min", None)
    assert nothing.infeasible
    assert nothing.statement.startswith("Proved infeasible: p.")


def test_what_numbers_came_from():
    anything = object()
    assert provenance(None, anything) == provenance(None, None) == "file"  # type: ignore[arg-type]
    assert provenance(form(), None) == "form"
    assert provenance(form(), anything) == "instance"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(F(10**14), "100000000000000"), (F(10**15), "1E+15"), (F(1, 10**6), "0.000001"),
     (F(1, 10**7), "1E-7"), (F(-1, 4), "-0.25"), (F(0), "0"), (F(10**9 - 1), "999999999")],
)  # fmt: skip
def test_short_numbers_are_written_out_and_long_ones_with_an_exponent(value, text):
    assert rounded(value, up=True) == rounded(value, up=False) == text


def test_the_sentence_tells_tolerance_implied_bounds_and_the_side_of_a_value():
    said = {}
    for sense in ("min", "max"):
        proof = of_instance("p", sense, F(1, 3), F(1, 3))
        nearly = dataclasses.replace(proof, value=F(2, 3), tolerance=1e-6, implied=2)
        said[sense] = nearly.statement
    tail = "Uses the implied bounds of 2 variables.  The program was rebuilt from its instance."
    assert said["min"] == (
        "The optimal value of p is at least 0.333333333.  A point that is feasible within 0.000001"
        f" reaches 0.666666667.  {tail}"
    )
    assert said["max"] == (
        "The optimal value of p is at most 0.333333334.  A point that is feasible within 0.000001"
        f" reaches 0.666666666.  {tail}"
    )


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
EXACT = st.builds(lambda a, b: F(a) / F(b or 1.0), FLOATS, FLOATS)
"""From 5e-324 over 1.8e308 to 1.8e308 over 5e-324, of both signs."""


@given(FLOATS | FLOATS.map(F) | EXACT, st.integers(1, 12))
def test_what_is_printed_lies_on_the_side_asked_for_and_close(value, digits):
    exact = F(value)
    low, high = (F(rounded(value, up=up, digits=digits)) for up in (False, True))
    assert low <= exact <= high
    assert high - low <= abs(exact) * F(10) ** (1 - digits)
    assert (low == exact) == (high == exact)


@given(EXACT)
def test_what_is_printed_has_no_more_digits_than_asked_for(value):
    mantissa = rounded(value, up=True, digits=3).partition("E")[0]
    assert len(mantissa.replace(".", "").strip("-0")) <= 3


@pytest.mark.parametrize("up", [True, False])
def test_numbers_without_digits_are_named(up):
    said = [rounded(value, up=up) for value in (math.inf, -math.inf, math.nan, 0.0, -0.0, F(0))]
    assert said == ["inf", "-inf", "nan", "0", "0", "0"]


def test_the_smallest_and_largest_numbers_keep_their_side():
    assert rounded(5e-324, up=False, digits=1) == "4E-324"
    assert rounded(5e-324, up=True, digits=1) == "5E-324"
    assert rounded(-5e-324, up=True, digits=1) == "-4E-324"
    assert rounded(1.7976931348623157e308, up=True, digits=2) == "1.8E+308"
    assert rounded(1.7976931348623157e308, up=False, digits=2) == "1.7E+308"
    assert rounded(F(1, 10**400 + 1), up=True, digits=2) == "1E-400"
    assert rounded(F(10**400 + 1), up=True, digits=2) == "1.1E+400"


def test_digits_do_not_depend_on_the_decimal_context_of_the_caller():
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_UP, Emax=10, Emin=-10) as context:
        context.traps[decimal.Inexact] = context.traps[decimal.Rounded] = True
        assert rounded(F(2, 3), up=False) == "0.666666666"
        assert rounded(F(123456789) * 10**90, up=False) == "1.23456789E+98"


def test_a_point_that_nearly_fits_has_no_ratio_once_it_beats_the_bound():
    reached = of_instance("p", "min", F(2), F(2))
    assert dataclasses.replace(reached, value=F(1), tolerance=1e-6).ratio is None
    close = dataclasses.replace(reached, value=2 - F(1, 10**8), tolerance=1e-6)
    assert close.ratio == 1


@pytest.mark.parametrize(("sense", "bound", "value"), [("min", 2, 1), ("max", 1, 2)])
def test_a_point_that_beats_the_bound_is_no_proof(sense, bound, value):
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        of_instance("p", sense, F(bound), F(value))
    proof = of_instance("p", sense, F(bound), F(bound))
    # points outside the file's implied bounds may
    assert dataclasses.replace(proof, value=F(value), provenance="file", implied=1).ratio is None


def test_the_tolerance_of_a_point_is_rounded_up():
    proof = of_instance("p", "min", F(1), F(2))
    said = dataclasses.replace(proof, tolerance=1.23456789012e-7).statement
    assert "feasible within 1.2345679E-7 reaches" in said  # 1.23456789 is too little


def test_relaxed_and_plural_words_are_said_right():
    proof = of_instance("relaxation of my program", "min", F(1))
    assert 'The optimal value of relaxation of "my program" is at least 1.' in proof.statement
    plain = of_instance("relaxation of ", "min", F(1))
    assert 'The optimal value of "relaxation of " is at least 1.' in plain.statement
    for implied, words in ((1, "of 1 variable is"), (2, "of 2 variables is")):
        said = dataclasses.replace(proof, implied=implied, provenance="file").statement
        assert f"within the file's implied bounds {words} at least" in said


@pytest.mark.parametrize(
    ("sense", "value", "bound", "ratio"),
    [
        ("min", 12.0, 8, F(3, 2)),
        ("max", 8.0, 12, F(3, 2)),
        ("min", F(1, 3), F(1, 7), F(7, 3)),
        ("max", F(1, 7), F(1, 3), F(7, 3)),
        ("min", 0.0, 0, F(1)),  # nothing to pay and nothing paid
        ("max", 0.0, 0, F(1)),  # nothing to earn and nothing earned
        ("min", F(-1), -1, F(1)),  # the optimum, whatever its sign
        ("min", 3.0, 0, None),  # any cost is infinitely far from a bound of 0
        ("max", 0.0, 3, None),
        ("min", 1.0, -1, None),
        ("max", -2.0, 5, None),
        ("min", math.nan, 1, None),
        ("min", math.inf, 1, None),
    ],
)
def test_a_ratio_is_that_of_exact_numbers(sense, value, bound, ratio):
    for exact in (True, False):
        assert certified_ratio(sense, value, F(bound), exact=exact) == ratio


def test_a_beaten_bound_and_the_value_are_told_on_their_proved_sides():
    said = r"the bound 0\.666666666 is worse than the value 0\.333333334 that a minimisation"
    with pytest.raises(NotACertificate, match=said):
        certified_ratio("min", F(1, 3), F(2, 3), exact=True)
    said = r"the bound 0\.333333334 is worse than the value 0\.666666666 that a maximisation"
    with pytest.raises(NotACertificate, match=said):
        certified_ratio("max", F(2, 3), F(1, 3), exact=True)


def said(ratio: F | float) -> F:
    """The number that the words of a ratio promise."""
    return sum(map(F, ratio_words(ratio).split(" + ")), F(0))


@given(EXACT.map(abs), EXACT.map(abs))
def test_the_double_and_the_words_of_a_ratio_promise_no_less_than_it(one, other):
    value, bound = max(one, other), min(one, other)
    ratio = certified_ratio("min", value, bound, exact=True)
    above = ratio_at_most("min", value, bound, exact=True)
    if ratio is None:
        assert above is None
        return
    assert ratio <= said(ratio) <= ratio * (1 + F(1, 10**5))
    if above is None:
        assert ratio > F(math.nextafter(math.inf, 0))
    else:
        assert ratio <= F(above) <= said(above)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("large", [F(1), F(10**30)])
def test_what_is_not_exact_may_beat_a_bound_by_a_share_of_the_larger_of_the_two(way, large):
    share = F(FEASIBLE)
    low, high = (large, large * (1 - share)) if way > 0 else (large * (share - 1), -large)
    for sense, value, bound in (("min", high, low), ("max", low, high)):
        assert certified_ratio(sense, value, bound, exact=False) == 1
    beyond = high - large / 2**200
    for sense, value, bound in (("min", beyond, low), ("max", low, beyond)):
        with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
            certified_ratio(sense, value, bound, exact=False)


def test_digits_are_added_until_the_sentence_is_true() -> None:
    value = F(1, 512)
    for sense, better in (("min", -1), ("max", 1)):
        bound = value - better * F(1, 10**16)
        said = str(beaten(sense, bound, value))
        words = re.fullmatch(r"the bound (\S+) is worse than the value (\S+) that .*", said)
        assert words is not None
        shown, reached = map(F, words.groups())
        assert (shown > reached) is (sense == "min"), said


class Instance:
    sha256 = "ab" * 32


def test_a_certificate_of_another_instance_is_refused():
    with pytest.raises(NotACertificate, match="about no instance"):
        check(good(), form(), instance=Instance())
    with pytest.raises(NotACertificate, match=r"about cdcdcdcdcdcd\.\.\."):
        check(good(instance="cd" * 32), form(), instance=Instance())
    proof = check(good(instance="ab" * 32), form(), instance=Instance())
    assert proof.provenance == "instance"


def test_a_limit_of_work_is_for_trees_alone():
    assert check(good(), form(), most_work=0) == check(good(), form())


def test_a_file_holds_one_line_that_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    write(good(), path)
    assert path.read_bytes() == to_json(good())
    assert path.read_bytes().count(b"\n") == 1
    assert read(path) == good()


def test_certificates_are_made_of_repaired_multipliers():
    site = transport()
    certificate = certify(site, site.cost.reshape(4, 4).min(axis=1) + 1e-9)
    assert check(certificate, site).bound <= exact_bound(site, site.cost.reshape(4, 4).min(axis=1))


def test_fewer_digits_are_written_where_that_costs_nothing():
    # 1.5 + 2**-51 proves 4.5 but for 1e-15; rounded to 48 bits it is 1.5 and proves 4.5
    written = certify(form(), np.array([1.5 + 2.0**-51, -0.5]))
    assert written.bound == "9/2"
    assert written.multipliers.floats("y", 2).tolist() == [1.5, -0.5]


def test_a_ray_is_written_with_its_violation_also_for_a_maximum():
    # x >= 3 and x <= 1 miss by 2; costs and constant play no part
    empty = small(
        [[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0], offset=7.0
    )
    for sense in ("min", "max"):
        written = certify_infeasible(empty.replace(sense=sense), np.array([1.0, -1.0]))
        assert (written.violation, written.sense) == ("2", sense)
    with pytest.raises(NotACertificate, match="misses by"):
        certify_infeasible(empty, np.array([0.0, 0.0]))


@pytest.mark.parametrize(
    ("miss", "short"), [(2.0**-51, True), (2.0**-49, True), (2.0**-46, False), (2.0**-20, False)]
)
def test_only_bits_beyond_the_48th_are_dropped(miss, short):
    written = certify(form(), np.array([1.5 - miss, -0.5]))
    kept = written.multipliers.floats("y", 2)[0]
    assert kept == (1.5 if short else 1.5 - miss)


def test_data_are_embedded_unless_told_otherwise_and_options_are_kept():
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    ray, about = np.array([1.0, -1.0]), {"kind": "toy", "options": {"a": 1}, "instance": "ab" * 32}
    for made in (certify(form(), np.array([1.5, -0.5]), **about),
                 certify_infeasible(empty, ray, **about)):  # fmt: skip
        assert made.data is not None
        assert (made.kind, made.options, made.instance) == tuple(about.values())
    assert certify_infeasible(empty, ray, embed=False).data is None
    assert certify_infeasible(empty, ray).options == certify(form(), np.zeros(2)).options == {}
