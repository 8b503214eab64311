"""Prices of a slot as multipliers over all its rings."""

from __future__ import annotations

import msgspec
import pytest

from farkas.certificates import check, from_json
from farkas.duals.restated import as_linear
from farkas.errors import UnsupportedForm
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds


@pytest.mark.parametrize("k", [0, 1])
def test_the_linear_certificate_proves_as_much(k):
    instance, content = kinds.honest("gadget.slot", k)
    own = check(from_json(content), instance=instance)
    linear = as_linear(from_json(content), instance)
    proof = check(linear)
    assert (linear.program, linear.instance) == ("gadget.column_lp", instance.sha256)
    assert float(proof.bound) == pytest.approx(float(own.bound), rel=1e-9)
    found = check_certificate(kinds.plain(linear))
    assert found["upper"] == proof.bound


def test_another_slot_than_the_instances_own_is_refused():
    cluster, content = kinds.honest("gadget.slot", 0)
    other = msgspec.structs.replace(from_json(content), slot=cluster.at_slot + 1)
    with pytest.raises(UnsupportedForm, match="own slot"):
        as_linear(other, cluster)
