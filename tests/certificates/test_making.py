"""Certificates from multipliers and rays."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import certify, certify_infeasible, check, exact_bound
from farkas.errors import InvalidOption, NotACertificate
from farkas.tolerances import FEASIBLE
from tests.certificates.test_repair import transport
from tests.generators.certificates import form, good
from tests.generators.forms import INF, small


def test_certificates_are_made_of_repaired_multipliers():
    site = transport()
    certificate = certify(site, site.cost.reshape(4, 4).min(axis=1) + 1e-9)
    assert check(certificate, site).bound <= exact_bound(site, site.cost.reshape(4, 4).min(axis=1))


def test_fewer_digits_are_written_where_that_costs_nothing():
    # 1.5 + 2**-51 proves 4.5 but for 1e-15; rounded to 48 bits it is 1.5 and proves 4.5
    written = certify(form(), np.array([1.5 + 2.0**-51, -0.5]))
    assert written.bound == "9/2"
    assert written.multipliers.floats("y", 2).tolist() == [1.5, -0.5]


def test_what_names_the_program_is_written_and_data_only_when_asked():
    about = {"kind": "toy", "options": {"relax": "tight"}, "instance": "ab" * 32}
    written = certify(form(), np.array([1.5, -0.5]), embed=False, **about)
    assert (written.kind, written.options, written.instance) == tuple(about.values())
    assert (written.data, written.point, written.form) == (None, None, form().sha256)


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


def test_bits_are_kept_where_dropping_them_costs_a_billionth():
    # x in [0, 2**30]: a multiplier short by 2**-50 would lose 2**-20 of a bound of 1
    wide = small(
        [[1.0]], cost=[1.5 + 2.0**-50], row_lower=[0.0], row_upper=[1.0],
        lower=[-(2.0**30)], upper=[2.0**30], offset=1.0,
    )  # fmt: skip
    written = certify(wide, np.array([1.5 + 2.0**-50]))
    assert written.bound == "1"
    assert written.multipliers.floats("y", 1).tolist() == [1.5 + 2.0**-50]
    close = wide.replace(lower=np.array([-1.0]), upper=np.array([1.0]))
    assert certify(close, np.array([1.5 + 2.0**-50])).multipliers.floats("y", 1).tolist() == [1.5]


def test_data_are_embedded_unless_told_otherwise_and_options_are_kept():
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    ray, about = np.array([1.0, -1.0]), {"kind": "toy", "options": {"a": 1}, "instance": "ab" * 32}
    for made in (certify(form(), np.array([1.5, -0.5]), **about),
                 certify_infeasible(empty, ray, **about)):  # fmt: skip
        assert made.data is not None
        assert (made.kind, made.options, made.instance) == tuple(about.values())
    assert certify_infeasible(empty, ray, embed=False).data is None
    assert certify_infeasible(empty, ray).options == certify(form(), np.zeros(2)).options == {}


@pytest.mark.parametrize("tolerance", [-1e-300, -0.5, 2 * FEASIBLE])
def test_points_are_claimed_within_a_share_that_is_one(tolerance):
    with pytest.raises(InvalidOption, match="points are claimed within"):
        good(point=np.array([2.0, 1.0]), tolerance=tolerance)
