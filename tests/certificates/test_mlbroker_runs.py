"""Which certificates count for which runs of a broker."""

from __future__ import annotations

import json

import msgspec
import pytest

import farkas
from farkas.certificates.files import from_json
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate

STRICT = {"semantics": "strict"}


def accepts(certificate, options, algorithm):
    try:
        require_run_bound(certificate, "mlbroker", options, algorithm, [])
    except NotACertificate:
        return False
    return True


def of(run):
    return from_json(msgspec.json.encode(run.certificate.certificate))


@pytest.mark.parametrize("algorithm", ["mlbroker.fractional", "mlbroker.Fractional"])
def test_bounds_on_whole_placements_say_nothing_of_fractions(algorithm):
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    assert type(slots).__struct_config__.tag == "mlbroker_slots"
    assert accepts(slots, {}, "mlbroker.central")
    assert accepts(slots, STRICT, "mlbroker.optimum")
    assert not accepts(slots, STRICT, algorithm)


def test_strict_relaxations_count_for_strict_runs():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional", **STRICT))
    assert made.program.endswith("strict]")
    assert accepts(made, STRICT, "mlbroker.fractional")
    assert not accepts(made, {}, "mlbroker.fractional")


def test_tight_relaxations_do_not_count_for_printed_fractions():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional"))
    assert accepts(made, {}, "mlbroker.fractional")
    assert not accepts(made, {"relax": "printed"}, "mlbroker.fractional")
    assert accepts(made, {"relax": "printed"}, "mlbroker.central")


def test_other_programs_are_not_listed():
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    other = msgspec.structs.replace(slots, program="mlbroker.offline[printed,choice,split]")
    with pytest.raises(NotACertificate, match="not listed"):
        require_run_bound(other, "mlbroker", {}, "mlbroker.central", [])
    assert json.loads(msgspec.json.encode(slots))["certificate"] == "mlbroker_slots"
