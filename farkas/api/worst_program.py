"""Programs of the worst case by algorithm, their boxes, and what lies in these."""

from __future__ import annotations

import dataclasses

from farkas.adversary.gap import GapProof
from farkas.adversary.shape import outside, plain_of
from farkas.algebra import programs
from farkas.errors import InvalidOption, NotACertificate
from farkas.instances import Instance
from farkas.messages import named
from farkas.models.worst_case import WorstProgram
from farkas.online.driver import algorithms


def worst_program(algorithm: str) -> type[WorstProgram]:
    """Class of an algorithm's program of the worst case; raises `InvalidOption` without one."""
    kind, _, name = algorithm.partition(".")
    wanted = f"{kind}.worst_{name}"
    if wanted not in programs.names(f"{kind}."):
        known = [n for k in sorted({a.split(".")[0] for a in algorithms}) for n in _known(k)]
        raise InvalidOption(
            f"{named(algorithm)} has no program of its worst case; there are {', '.join(known)}"
        )
    found = programs[wanted]
    assert issubclass(found, WorstProgram)
    return found


def _known(kind: str) -> list[str]:
    found = (programs[name] for name in programs.names(f"{kind}.worst_"))
    return [one.algorithm for one in found if issubclass(one, WorstProgram)]


def why_outside(
    program: WorstProgram | type[WorstProgram], box: Instance, instance: Instance
) -> str | None:
    """Say why an instance is none of a box; None where it is one.

    Of a class of programs alone no options are known, and so no grid of its numbers.
    """
    if box.kind != instance.kind:
        return f"it is of kind {instance.kind}"
    ends, data = plain_of(box), plain_of(instance)
    for name in program.follows:
        ends.pop(name, None)
        data.pop(name, None)
    why = outside(data, ends, program.varied)
    if why is None and isinstance(program, WorstProgram) and not program.on_grid(box, instance):
        return f"{program.full_name} is about whole parts, and its numbers are none"
    return why


def placed(proof: GapProof, box: Instance) -> GapProof:
    """Return the proof of a statement that says that its instance is one, or lies in its box.

    Raises `NotACertificate`: it is neither, or the algorithm has no program of its worst case and
    so no box.
    """
    if proof.instance.sha256 == box.sha256:
        return proof
    wrong = (
        f"the statement is about {proof.instance.sha256[:12]}..., the instance hashes to"
        f" {box.sha256[:12]}..."
    )
    try:
        cls = worst_program(proof.gap.reached.algorithm)
    except InvalidOption:
        raise NotACertificate(wrong) from None
    why = why_outside(cls, box, proof.instance)
    if why is not None:
        raise NotACertificate(f"{wrong} and its box does not hold the other: {why}")
    place = (
        f"That instance lies in the box of the given one: {', '.join(cls.varied)} between the"
        " smallest and the largest there, all else the same."
    )
    return dataclasses.replace(proof, place=place)
