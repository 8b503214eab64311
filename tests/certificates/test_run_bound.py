"""Runs are bounded by what their kind lists, and by nothing else."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import LinearCertificate, certificate_types, run_bounds
from farkas.certificates.coded import MasterPrices
from farkas.certificates.files import from_json
from farkas.certificates.priced_tree import PricedTree
from farkas.certificates.repair import exact_vector
from farkas.certificates.run_bound import require_run_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.instances.mlbroker import FRACTIONAL


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
        if one.certificate not in ("tree", "priced_tree"):  # of any program, which is named
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
    made = PricedTree(kind=kind, program=listed.program, instance="0" * 64, bound="0", prices="")
    with pytest.raises(NotACertificate, match="not listed" if kind else "names no kind"):
        require_run_bound(made, "gadget", {}, "gadget.gadget", [])
    stated = msgspec.structs.replace(made, kind="gadget")
    require_run_bound(stated, "gadget", {}, "gadget.gadget", [])


@pytest.mark.parametrize(("name", "program"), [
    ("coded.expected", "coded.expected[shared]"), ("coded.mine", "coded.expected[shared]"),
    ("coded.chance_mine", "coded.chance"), ("coded.ChanceMine", "coded.chance"),
])  # fmt: skip
def test_the_name_of_an_algorithm_of_coded_says_which_problem_bounds_its_runs(name, program):
    data, prices = library.load("coded/demo"), np.ones(2)
    every = "coded.expected[shared]", "coded.chance"
    made = {each: MasterPrices.of(data, each, prices) for each in every}
    require_run_bound(made.pop(program), "coded", {}, name, [])
    for other in made.values():
        with pytest.raises(NotACertificate, match="does not bound runs of"):
            require_run_bound(other, "coded", {}, name, [])


STRICT = {"semantics": "strict"}


def accepts(certificate, options, algorithm):
    try:
        require_run_bound(certificate, "mlbroker", options, algorithm, [])
    except NotACertificate:
        return False
    return True


def of(run):
    return from_json(msgspec.json.encode(run.certificate.certificate))


@pytest.mark.parametrize("algorithm", FRACTIONAL)
def test_bounds_on_whole_placements_say_nothing_of_fractions(algorithm):
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    assert type(slots).__struct_config__.tag == "priced_tree"
    assert accepts(slots, {}, "mlbroker.central")
    assert accepts(slots, STRICT, "mlbroker.optimum")
    assert not accepts(slots, STRICT, algorithm)


def test_strict_relaxations_count_for_strict_runs():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional", **STRICT))
    assert made.program.endswith("strict]")
    assert accepts(made, STRICT, "mlbroker.fractional")
    assert not accepts(made, {}, "mlbroker.fractional")


def test_tight_relaxations_do_not_count_for_printed_fractions():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional[tight]"))
    assert accepts(made, {"relax": "tight"}, "mlbroker.fractional")
    assert not accepts(made, {"relax": "printed"}, "mlbroker.fractional")
    assert not accepts(made, {}, "mlbroker.Fractional")  # a bare policy says no options
    assert accepts(made, {"relax": "printed"}, "mlbroker.central")


def test_other_programs_are_not_listed():
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    other = msgspec.structs.replace(slots, program="mlbroker.offline[printed,two,split]")
    with pytest.raises(NotACertificate, match="not listed"):
        require_run_bound(other, "mlbroker", {}, "mlbroker.central", [])
    assert json.loads(msgspec.json.encode(slots))["certificate"] == "priced_tree"
