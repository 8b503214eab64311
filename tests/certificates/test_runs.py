"""Runs are bounded by what their kind lists, and by nothing else."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.certificates import LinearCertificate, certificate_types, run_bounds
from farkas.certificates.coded import ChancePrices, CodedPrices, GuaranteedPrices
from farkas.certificates.gadget import HorizonCertificate
from farkas.certificates.making import exact_vector
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.models.coded.kernel import Pairs


def linear(kind: str | None, program: str) -> LinearCertificate:
    return LinearCertificate(
        kind=kind,
        program=program,
        form="0" * 64,
        sense="min",
        bound="0",
        multipliers=exact_vector(np.zeros(0)),
    )


@pytest.mark.parametrize("kind", own_kinds())
def test_each_kind_lists_certificates_of_its_own(kind):
    listed = run_bounds[kind]
    assert listed
    for one in listed:
        if one.certificate != "tree":  # of any program, which is rebuilt
            assert one.certificate.startswith(kind)
            assert certificate_types[one.certificate].about == kind
        assert one.program.startswith(f"{kind}.")
        with pytest.raises(NotACertificate, match="not listed"):
            require_run_bound(linear(kind, one.program), kind, {}, f"{kind}.any", [])


def test_a_kind_without_a_list_has_no_proved_runs():
    with pytest.raises(NotACertificate, match="lists no program that bounds its runs"):
        require_run_bound(linear(None, "nothing.at_all"), "nothing", {}, "nothing.any", [])


@pytest.mark.parametrize("kind", ["alpha", "zeta", None])
def test_the_kind_that_a_certificate_states_is_the_run_s(kind):
    listed = run_bounds["gadget"][0]
    made = HorizonCertificate(
        kind=kind, program=listed.program, instance="0" * 64, bound="0", starts=(), classes=(),
        prices=(),
    )  # fmt: skip
    with pytest.raises(NotACertificate, match="not listed"):
        require_run_bound(made, "gadget", {}, "gadget.gadget", [])
    stated = msgspec.structs.replace(made, kind="gadget")
    require_run_bound(stated, "gadget", {}, "gadget.gadget", [])


@pytest.mark.parametrize(("name", "tag"), [
    ("coded.expected", "coded_run"), ("coded.mine", "coded_run"),
    ("coded.chance_mine", "coded_chance"), ("coded.ChanceMine", "coded_chance"),
    ("coded.distribution_free", "coded_measured"), ("coded.DistributionFree", "coded_measured"),
])  # fmt: skip
def test_the_name_of_an_algorithm_of_coded_says_which_problem_bounds_its_runs(name, tag):
    data, prices = library.load("coded/measured"), np.ones(2)
    patience = Pairs.of(data).patience
    made = {
        "coded_run": CodedPrices.of(data, prices, patience),
        "coded_chance": ChancePrices.of(data, prices, patience),
        "coded_measured": GuaranteedPrices.of(data, prices),
    }
    require_run_bound(made.pop(tag), "coded", {}, name, [])
    for other in made.values():
        with pytest.raises(NotACertificate, match="does not bound runs of"):
            require_run_bound(other, "coded", {}, name, [])
