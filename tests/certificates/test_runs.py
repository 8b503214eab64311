"""Runs are bounded by what their kind lists, and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import LinearCertificate, certificate_types, run_bounds
from farkas.certificates.packed import ExactVector
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate
from farkas.instances.files import own_kinds


def linear(kind: str | None, program: str) -> LinearCertificate:
    return LinearCertificate(
        kind=kind,
        program=program,
        form="0" * 64,
        sense="min",
        bound="0",
        multipliers=ExactVector.of(np.zeros(0)),
    )


@pytest.mark.parametrize("kind", own_kinds())
def test_each_kind_lists_certificates_of_its_own(kind):
    listed = run_bounds[kind]
    assert listed
    for one in listed:
        assert one.certificate.startswith(kind)
        assert certificate_types[one.certificate].about == kind
        assert one.program.startswith(f"{kind}.")
        with pytest.raises(NotACertificate, match="not listed"):
            require_run_bound(linear(kind, one.program), kind, {})


def test_a_kind_without_a_list_has_no_proved_runs():
    with pytest.raises(NotACertificate, match="lists no program that bounds its runs"):
        require_run_bound(linear(None, "nothing.at_all"), "nothing", {})
