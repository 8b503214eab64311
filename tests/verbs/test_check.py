"""A certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates import Proof
from farkas.certificates.vipr_check import ViprProof
from farkas.errors import FileProblem, InvalidOption, MissingInstance, NoAnswer, NotACertificate
from farkas.exact.proved import Proved
from farkas.models.worst_case import WorstProgram
from farkas.verbs.check import opened, worst_meaning
from tests.certificates.test_vipr_check import ROUNDING


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


@pytest.mark.parametrize(
    ("program", "by"),
    [
        ("mlbroker.offline", "mlbroker.relaxed[tight,printed]"),
        ("eris.offline", "eris.pooled_prices"),
    ],
)
def test_what_another_program_bounds_is_proved_again_from_the_instance(
    program: str, by: str
) -> None:
    name = f"{program.partition('.')[0]}/tiny"
    solution = farkas.solve(name, program, certify=True)
    assert solution.proved_by == by
    with pytest.raises(InvalidOption, match=f"proved by {re.escape(by)}, .* give it"):
        farkas.check(solution)
    assert farkas.check(solution, name).bound == solution.bound


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
        farkas.check(Proved(form=found.form, status="bound"), "mlbroker/tiny")


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
