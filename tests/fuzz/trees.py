"""Trees and directions of random programs, changed, and held against enumeration."""

from __future__ import annotations

import functools
import json
import random
from fractions import Fraction

from farkas.certificates import from_json, to_json
from farkas.certificates.proof import Proof
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm
from tests.fuzz.attack import HoleError, Outcome, beyond, change, doubled_key, verdict
from tests.generators.rational import random_integer, random_linear, reference_optimum

PROGRAMS = 60
"""Random programs whose proofs are changed."""

Knowledge = tuple[RationalForm, str, Fraction | str | None]


@functools.cache
def known(number: int) -> Knowledge:
    """A program, its honest certificate, and its optimum by the simplex method in fractions."""
    form = random_integer(number) if number % 3 else random_linear(number)
    certificate = prove_form(form).certificate
    assert certificate is not None
    return form, to_json(certificate).decode(), reference_optimum(form)


@functools.cache
def numbers(tag: str) -> list[int]:
    """Programs whose certificates have a tag."""
    return [n for n in range(PROGRAMS) if json.loads(known(n)[1])["certificate"] == tag]


def tree(rng: random.Random) -> Outcome:
    """Change a tree, or claim more than it proves."""
    return _attacked(rng, "tree")


def unbounded(rng: random.Random) -> Outcome:
    """Change a point or a direction."""
    return _attacked(rng, "unbounded")


def _attacked(rng: random.Random, tag: str) -> Outcome:
    form, honest, best = known(rng.choice(numbers(tag)))
    record = json.loads(honest)
    claims_too_much = tag == "tree" and record["bound"] is not None and rng.random() < 0.2
    if claims_too_much:
        record["bound"] = str(beyond(rng, Fraction(record["bound"]), form.sense))
    else:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            change(rng, record)
    content = json.dumps(record).encode()
    if rng.random() < 0.03:
        content = doubled_key(rng, json.loads(honest))
    proof = verdict(lambda: from_json(content).prove(None, None), content)
    if proof is None:
        return "refused"
    if claims_too_much:
        raise HoleError(f"more is accepted than is proved: {content!r}")
    hold(proof, form, best, content)
    return "accepted"


def hold(proof: Proof, form: RationalForm, best: Fraction | str | None, content: bytes) -> None:
    """Hold a proof against the optimum; raises `HoleError` where it is false."""
    way = 1 if form.sense == "min" else -1
    if proof.form != form.sha256:
        raise HoleError(f"another program is accepted: {content!r}")
    if proof.unbounded and best != "unbounded":
        raise HoleError(f"a bounded program is called unbounded: {content!r}")
    if proof.infeasible and best is not None:
        raise HoleError(f"a program with a point is called infeasible: {content!r}")
    if best is None and proof.value is not None:
        raise HoleError(f"a program without a point has one: {content!r}")
    if best == "unbounded" and proof.bound is not None:
        raise HoleError(f"an unbounded program has a bound: {content!r}")
    if isinstance(best, Fraction):
        if proof.bound is not None and way * proof.bound > way * best:
            raise HoleError(f"the bound is beyond the optimum {best}: {content!r}")
        if proof.value is not None and way * proof.value < way * best:
            raise HoleError(f"the point is better than the optimum {best}: {content!r}")
