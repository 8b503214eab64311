"""What is said of proofs that are tried again."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

import farkas
from farkas.certificates.points import exact_value
from farkas.verbs.verdicts import Solved, solve_verdict


def claimed(name: str, solved: str, **changes: Any) -> Solved:
    """What a sweep keeps of a solve, but for changes."""
    solution = farkas.solve(name, solved, certify=True, relax=changes.pop("relaxed", False))
    kept = Solved(
        certificate=msgspec.to_builtins(solution.certificate),
        sense=solution.form.sense,
        bound=str(solution.bound),
        value=float(exact_value(solution.form, solution.answer.point)),
        program=solved,
        relax=False,
    )
    return dataclasses.replace(kept, **changes)


def test_a_solved_program_is_proved_again_by_its_own_certificate() -> None:
    name, program = "mlbroker/tiny", "mlbroker.relaxed[tight,printed]"
    instance = farkas.load(name)
    for same in (program, "mlbroker.relaxed[tight]"):
        assert solve_verdict(claimed(name, program, program=same), instance) == "proved again"
    other = claimed(name, program, program="mlbroker.relaxed[printed,printed]")
    assert solve_verdict(other, instance) == (
        f"rejected: the certificate is about {program}, not mlbroker.relaxed[printed,printed]"
    )
    turned = claimed(name, program, sense="max")
    assert solve_verdict(turned, instance) == ("rejected: the solve says max, its certificate min")


def test_a_point_of_a_relaxation_is_no_value_of_its_program() -> None:
    name, program = "mlbroker/tiny", "mlbroker.offline[strict]"
    instance = farkas.load(name)
    fractional = claimed(name, program, relaxed=True)
    assert solve_verdict(fractional, instance) == "bound proved again"
    relaxed = dataclasses.replace(fractional, relax=True)
    assert solve_verdict(relaxed, instance) == "proved again"
    for off in (1.0, 1e-12):
        higher = dataclasses.replace(relaxed, value=relaxed.value + off)
        assert solve_verdict(higher, instance).startswith("rejected: the value is said to be")
