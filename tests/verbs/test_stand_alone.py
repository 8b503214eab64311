"""Files that need nothing but themselves: from runs, from certificates, and what cannot be one."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.certificates import certify_infeasible, check, write
from farkas.errors import InvalidOption, NotACertificate
from farkas.standalone.checker import check_file
from farkas.verbs.stand_alone import stand_alone
from tests.generators.forms import small


def test_a_run_and_its_file_become_a_linear_certificate(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    farkas.save(run, tmp_path / "run.json")
    for what in (run, tmp_path / "run.json"):
        linear = stand_alone(what, "mlbroker/tiny")
        write(linear, tmp_path / "alone.json")
        found = check_file(str(tmp_path / "alone.json"))
        assert float(found["lower"]) == pytest.approx(16.8, rel=1e-9)


def test_a_certificate_without_data_gets_them_and_one_with_data_stays():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    assert solution.certificate.data is None
    linear = stand_alone(solution.certificate, "mlbroker/tiny")
    assert linear.data is not None
    assert check(linear).bound == check(linear, solution.form).bound
    assert stand_alone(linear) == linear


def test_infeasibility_stands_alone_too():
    form = small([[1.0]], cost=[1.0], row_lower=[5.0], upper=[2.0])
    certificate = certify_infeasible(form, [1.0])
    assert stand_alone(certificate) == certificate


def test_what_is_not_proved_is_not_written():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    forged = msgspec.structs.replace(solution.certificate, bound="17")
    with pytest.raises(NotACertificate, match="claims the bound 17"):
        stand_alone(forged, "mlbroker/tiny")


def test_what_is_missing_is_said(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    with pytest.raises(InvalidOption, match="add --instance"):
        stand_alone(run)
    with pytest.raises(InvalidOption, match="holds its program already"):
        stand_alone(tmp_path / "x.vipr")
    with pytest.raises(NotACertificate, match="holds no certificate"):
        stand_alone(msgspec.structs.replace(run, certificate=None), "mlbroker/tiny")
