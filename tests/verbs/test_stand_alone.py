"""Files that need nothing but themselves: from runs, from certificates, and what cannot be one."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.certificates import certify_infeasible, check
from farkas.errors import InvalidOption, NotACertificate, UnsupportedForm
from farkas.files import read_record
from farkas.files.writing import write_bytes
from farkas.online import Bound
from farkas.standalone.checker import check_file
from farkas.verbs.stand_alone import stand_alone
from tests.generators.forms import small


def test_a_run_and_its_file_become_a_linear_certificate(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    farkas.save(run, tmp_path / "run.json")
    for what in (run, tmp_path / "run.json"):
        found = stand_alone(what, "mlbroker/tiny")
        assert found.proof.statement == farkas.check(run, "mlbroker/tiny").statement
        write_bytes(tmp_path / "alone.json", found.content)
        found = check_file(str(tmp_path / "alone.json"))
        assert float(found["lower"]) == pytest.approx(16.8, rel=1e-9)


def test_a_certificate_without_data_gets_them_and_one_with_data_stays():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    assert solution.certificate.data is None
    linear = stand_alone(solution.certificate, "mlbroker/tiny").certificate
    assert linear.data is not None
    assert check(linear).bound == check(linear, solution.form).bound
    assert stand_alone(linear).certificate == linear


def test_a_file_of_coded_says_what_it_leaves_to_the_check_with_the_instance(tmp_path):
    run = farkas.run("coded/tiny", "coded.expected")
    found = stand_alone(run, "coded/tiny")
    open_words = "That its speeds are no smaller than the instance's is shown by `farkas check`"
    assert found.remark.startswith(open_words)
    assert found.statement == f"{found.alone.statement}  {found.remark}"
    assert found.to_builtins()["remark"] == found.remark
    assert found.to_builtins()["statement"] == found.statement
    name = "coded.expected[shared] at speeds no smaller than the instance's"
    assert name in found.alone.statement
    with pytest.raises(NotACertificate, match="no program that is rebuilt"):
        farkas.check(found.certificate, "coded/tiny")
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    found = stand_alone(run, "mlbroker/tiny")
    assert (found.remark, found.statement) == ("", found.alone.statement)
    assert "remark" not in found.to_builtins()
    assert farkas.check(found.certificate, "mlbroker/tiny").provenance == "instance"


def test_infeasibility_stands_alone_too():
    form = small([[1.0]], cost=[1.0], row_lower=[5.0], upper=[2.0])
    certificate = certify_infeasible(form, [1.0])
    assert stand_alone(certificate).certificate == certificate


def test_what_is_not_proved_is_not_written():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    forged = msgspec.structs.replace(solution.certificate, bound="17")
    with pytest.raises(NotACertificate, match="claims the bound 17"):
        stand_alone(forged, "mlbroker/tiny")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ratio": 0.5}, "claims the ratio"),
        ({"decisions": []}, "decides 0 slots"),
    ],
)
def test_a_run_is_held_to_all_that_check_holds_it_to(changes, words):
    run = msgspec.structs.replace(
        farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]"), **changes
    )
    for door in (farkas.check, stand_alone):
        with pytest.raises(NotACertificate, match=words):
            door(run, "mlbroker/tiny")


def test_a_program_that_bounds_no_runs_is_not_written_for_one():
    run = farkas.run("dps/tiny", "dps.pa")
    solved = farkas.solve("dps/tiny", "dps.interval_lp[fixed]", certify=True).certificate
    bound = Bound.of(Fraction(solved.bound), "prices of others", msgspec.to_builtins(solved))
    assert stand_alone(solved, "dps/tiny").alone.bound == Fraction(solved.bound)
    with pytest.raises(NotACertificate, match="not listed"):
        stand_alone(msgspec.structs.replace(run, certificate=bound), "dps/tiny")


def test_data_of_a_file_are_proved_although_the_program_was_rebuilt():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    full = stand_alone(solution.certificate, "mlbroker/tiny").certificate
    other = farkas.solve("mlbroker/surplus_worker", "mlbroker.relaxed[tight]", certify=True)
    wrong = stand_alone(other.certificate, "mlbroker/surplus_worker").certificate.data
    forged = msgspec.structs.replace(full, data=wrong)
    assert farkas.check(forged, "mlbroker/tiny").bound == check(full).bound
    with pytest.raises(NotACertificate, match="its own data hash to"):
        stand_alone(forged, "mlbroker/tiny")


def test_a_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    farkas.save(farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]"), path)
    reads = []

    def counted(name):
        reads.append(name)
        return read_record(name)

    monkeypatch.setattr("farkas.verbs.check.read_record", counted)
    stand_alone(path, "mlbroker/tiny")
    farkas.check(path, "mlbroker/tiny")
    assert reads == [path, path]


def test_what_is_missing_is_said(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    assert stand_alone(run).content == stand_alone(run, "mlbroker/tiny").content
    with pytest.raises(InvalidOption, match="a run is about an instance"):
        stand_alone(msgspec.structs.replace(run, instance="mine"))
    with pytest.raises(InvalidOption, match="holds its program already"):
        stand_alone(tmp_path / "x.vipr")
    with pytest.raises(NotACertificate, match="holds no certificate"):
        stand_alone(msgspec.structs.replace(run, certificate=None), "mlbroker/tiny")


def test_a_tree_becomes_a_vipr_file_that_the_checker_of_one_file_proves(tmp_path):
    found = farkas.prove("mlbroker/tiny", "mlbroker.offline", embed=False)
    made = stand_alone(found.certificate, "mlbroker/tiny")
    path = tmp_path / "tree.vipr"
    path.write_bytes(made.content)
    proved = check_file(str(path))
    assert proved["lower"] == found.bound
    assert proved["upper"] == found.value
    assert (made.alone.lower, made.alone.upper) == (proved["lower"], proved["upper"])
    with pytest.raises(NotACertificate, match="holds no program"):
        stand_alone(found.certificate)


def test_nothing_else_reads_proofs_of_unboundedness(tmp_path):
    path = tmp_path / "up.lp"
    path.write_text("Maximize\n x\nSubject To\n c: x >= 1\nEnd\n")
    found = farkas.prove(path)
    assert found.status == "unbounded"
    with pytest.raises(UnsupportedForm, match="unboundedness"):
        stand_alone(found.certificate)
