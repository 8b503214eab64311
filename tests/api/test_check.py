"""A certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.api.check import opened, worst_meaning
from farkas.api.stand_alone import stand_alone
from farkas.certificates import Proof, certify_infeasible, check
from farkas.certificates.vipr_check import ViprProof
from farkas.errors import (
    FileProblem,
    InvalidOption,
    MissingInstance,
    NoAnswer,
    NotACertificate,
    UnsupportedForm,
)
from farkas.exact.result import ProofResult
from farkas.files import read_record
from farkas.files.writing import write_bytes
from farkas.models.worst_case import WorstProgram
from farkas.online import Bound
from farkas.standalone.checker import check_file
from tests.certificates.test_vipr_check import ROUNDING
from tests.generators.forms import small


def test_a_solution_is_proved_again_by_its_certificate() -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    for instance, source in ((None, "form"), ("mlbroker/tiny", "instance")):
        proof = farkas.check(solution, instance)
        assert isinstance(proof, Proof)
        assert (proof.bound, proof.provenance) == (solution.bound, source)
    for what in (solution, solution.certificate):
        with pytest.raises(NotACertificate, match="the certificate is about"):
            farkas.check(what, "mlbroker/surplus_worker")
    with pytest.raises(NoAnswer, match="without a certificate: give certify=True"):
        farkas.check(dataclasses.replace(solution, certificate=None))


def test_a_vipr_file_is_proved_with_as_much_work_as_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "rounding.vipr"
    file.write_text(ROUNDING)
    proof = farkas.check(file)
    assert isinstance(proof, ViprProof)
    assert (proof.lower, proof.upper) == (1, 1)
    assert farkas.check(file, most_work=10**6) == proof
    with pytest.raises(NotACertificate, match="more than 1 steps"):
        farkas.check(file, most_work=1)


def test_what_was_proved_in_this_process_is_checked_against_its_model(tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    path.write_text("min\n obj: x\nst\n c: x >= 2\nbounds\n x <= 10\nend\n")
    found = farkas.prove(path)
    assert farkas.check(found, model=path).bound == 2
    other = tmp_path / "other.lp"
    other.write_text(path.read_text().replace(">= 2", ">= 3"))
    with pytest.raises(NotACertificate):
        farkas.check(found, model=other)
    with pytest.raises(NoAnswer, match="nothing was proved"):
        farkas.check(dataclasses.replace(found, certificate=None), model=path)
    with pytest.raises(NotACertificate, match="with its model"):
        farkas.check(found.certificate, "mlbroker/tiny")
    with pytest.raises(InvalidOption, match="farkas prove MODEL --write FILE"):
        farkas.check(farkas.run("mlbroker/tiny", "mlbroker.local"), model=path)


def test_a_file_is_proved_as_what_it_holds(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    mine = msgspec.structs.replace(run, instance="mine")
    gap = farkas.worst("mlbroker.local", evaluations=25).gap
    program = "mlbroker.relaxed[tight]"
    bound = farkas.solve("mlbroker/tiny", program, certify=True, embed=True).certificate
    for name, what in {"run": run, "mine": mine, "bound": bound, "gap": gap}.items():
        path = tmp_path / f"{name}.json"
        farkas.save(what, path)
        assert opened(path) == what
        for held in (path, str(path), what):
            if name == "mine":
                with pytest.raises(MissingInstance):
                    farkas.check(held)
            else:
                assert farkas.check(held)  # the instance of the run ships
    proof = farkas.check(tmp_path / "bound.json", "mlbroker/tiny")
    assert isinstance(proof, Proof)
    assert proof.provenance == "instance"
    assert farkas.check(tmp_path / "run.json", "mlbroker/tiny").ratio == run.ratio
    assert farkas.check(gap).ratio == farkas.check(tmp_path / "gap.json").ratio
    with pytest.raises(NotACertificate):
        farkas.check(gap, "mlbroker/tiny")
    both = msgspec.json.encode(msgspec.to_builtins(run) | {"statement": "gap"})
    (tmp_path / "both.json").write_bytes(both)
    with pytest.raises(FileProblem, match="no statement of a gap"):
        opened(tmp_path / "both.json")


def test_what_is_neither_certificate_nor_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"certificates": []}')
    with pytest.raises(FileProblem, match=r"other.json: no certificate"):
        opened(path)
    with pytest.raises(InvalidOption, match="what is checked cannot be 3"):
        farkas.check(3)  # type: ignore[arg-type]


def test_what_was_proved_is_checked_about_an_instance() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.offline", embed=False)
    for proof in (farkas.check(found, "mlbroker/tiny"), farkas.check(found)):
        assert (proof.bound, proof.value) == (found.bound, found.value)
    assert farkas.check(found, "mlbroker/tiny").instance is not None
    with pytest.raises(NotACertificate):
        farkas.check(found, "mlbroker/return_trip")
    with pytest.raises(NoAnswer, match="nothing was proved"):
        farkas.check(ProofResult(form=found.form, status="bound"), "mlbroker/tiny")


def test_the_ratio_is_rounded_up_and_the_box_is_named() -> None:
    program = programs.build("gadget.worst_fifo[ratio=8,parts=2]")
    assert isinstance(program, WorstProgram)
    said = worst_meaning(program, Fraction(0))
    assert "ratio of gadget.fifo is at most 8.00000001 on every" in said
    assert "jobs[].demand[]" in said
    assert "whole parts, 2 of which" in said


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("dps.worst_fixed_price", Fraction(1, 10**30)),
        ("dps.worst_fixed_price", None),
        ("dps.worst_fixed_price[margin=0.5]", Fraction(0)),  # leaves instances out
    ],
)
def test_nothing_is_said_where_nothing_follows(name: str, bound: Fraction | None) -> None:
    program = programs.build(name)
    assert isinstance(program, WorstProgram)
    assert not worst_meaning(program, bound)


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


def test_what_is_written_of_a_run_is_compared_with_the_instance_again():
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    found = stand_alone(run, "mlbroker/tiny")
    assert farkas.check(found.certificate, "mlbroker/tiny").provenance == "instance"


def test_a_bound_that_no_linear_program_states_is_not_written():
    run = farkas.run("coded/tiny", "coded.expected")
    with pytest.raises(UnsupportedForm, match="are not restated as multipliers"):
        stand_alone(run, "coded/tiny")


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

    monkeypatch.setattr("farkas.api.check.read_record", counted)
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
