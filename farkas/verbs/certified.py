"""Bounds that solvers' multipliers prove, programs that bound others, and branch and bound."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from farkas.certificates import Certificate
from farkas.certificates import certify as bound_certificate
from farkas.certificates.exact_points import settled
from farkas.errors import FarkasError, NoAnswer, NotACertificate, UnsupportedForm
from farkas.exact.bounding import Deadline
from farkas.exact.from_doubles import rational
from farkas.exact.proved import Proved
from farkas.exact.proving import prove_form
from farkas.forms import LinearForm
from farkas.solvers import Answer
from farkas.tolerances import FEASIBLE, ROUNDING
from farkas.verbs.solution import Solution

#: What proves a bound of an integer program by itself.
RELAXATION, SEARCH = "linear relaxation", "branch and bound"
#: Share of the value within which the bound of another program leaves nothing to search for.
NEAR = Fraction(ROUNDING)
OTHERS_SHARE = 0.5  #: Of the time that is left, for each of the programs that bound another.


@dataclasses.dataclass(frozen=True, slots=True)
class Other:
    """What else bounds a program."""

    name: str  #: A program, or a bound by prices.
    #: Called with seconds; gives a proved bound on the same value with its certificate.
    prove: Callable[[float], tuple[Fraction | None, Certificate | None]]


def best_bound(
    form: LinearForm,
    answer: Answer,
    witness: Answer,
    about: dict[str, Any],
    *,
    others: Iterable[Other] = (),
    seconds: float,
    gap: Fraction = Fraction(0),
) -> Solution:
    """Bound an integer program by its relaxation, by what else bounds it, by branch and bound.

    Raises `NoAnswer` or `NotACertificate` when nothing is proved at all.

    Parameters
    ----------
    witness
        Of the linear relaxation.
    others
        In the order in which they are tried; one that has no answer is passed over.
    gap
        Share of the value within which a bound ends the work; one of another program also ends it
        within `NEAR`, since optima of two programs in doubles agree no further.
    """
    clock = Deadline(seconds)
    try:
        own = by_multipliers(form, answer, witness, about)
    except (NoAnswer, NotACertificate) as failure:
        own, left = Solution(form, answer), failure
    best, near = own, gap
    for other in others:
        if best.within(near) or not clock.left:
            break
        try:
            bound, certificate = other.prove(clock.part(OTHERS_SHARE).left)
        except FarkasError:
            continue  # another bound only helps
        except KeyboardInterrupt:
            return dataclasses.replace(best, interrupted=True)
        found = Solution(form, answer, bound=bound, certificate=certificate, proved_by=other.name)
        if found.tighter(best):
            best, near = found, max(gap, NEAR)
    if not best.within(near):
        own = searched(own, about, clock.left, float(gap))
    if best.tighter(own):
        return dataclasses.replace(best, own=own.certificate, interrupted=own.interrupted)
    if own.bound is None:
        raise left
    return own


def searched(found: Solution, about: dict[str, Any], seconds: float, gap: float) -> Solution:
    """Improve the bound of an integer program by branch and bound."""
    form, answer = found.form, found.answer
    tree = fractions(form, answer, about, seconds, gap)
    if tree is None:
        return found
    better = Solution(
        form, answer, bound=tree.bound, certificate=tree.certificate, proved_by=SEARCH
    )
    kept = better if better.tighter(found) else found
    return dataclasses.replace(kept, interrupted=tree.interrupted)


def by_relaxation(
    form: LinearForm,
    answer: Answer,
    witness: Answer,
    about: dict[str, Any],
    seconds: float,
) -> Solution:
    """Bound by the multipliers; where they prove nothing, by fractions.

    Raises `NoAnswer` or `NotACertificate` when fractions prove nothing in that time either.
    """
    try:
        return by_multipliers(form, answer, witness, about)
    except (NoAnswer, NotACertificate):
        found = fractions(form, answer, about, seconds)
        if found is None or found.bound is None or found.certificate is None:
            raise
    way = SEARCH if form.is_mip else ""
    return Solution(form, answer, bound=found.bound, certificate=found.certificate, proved_by=way)


def fractions(
    form: LinearForm, answer: Answer, about: dict[str, Any], seconds: float, gap: float = 0.0
) -> Proved | None:
    """Bound what can be bounded in that time; None for nothing.

    Raises `NotACertificate`: the solver is proved wrong.
    """
    found = in_fractions(form, answer, about, seconds, gap)
    if found is None:
        return None
    if found.status in ("infeasible", "unbounded"):
        raise NotACertificate(
            f"{form.name}: {answer.solver} claims {answer.claim}, but as doubles it is proved"
            f" {found.status}; farkas prove writes the proof"
        )
    return found


def in_fractions(
    form: LinearForm, answer: Answer, about: dict[str, Any], seconds: float, gap: float = 0.0
) -> Proved | None:
    """Prove in fractions what can be in that time, whatever the solver says; None for nothing."""
    embed, origin = about.get("embed", False), {k: v for k, v in about.items() if k != "embed"}
    clock = Deadline(seconds)
    try:
        exact = rational(form)
        return prove_form(
            exact, answer=answer, time_limit=clock.left, gap=gap, embed=embed, about=origin
        )
    except (NoAnswer, UnsupportedForm):
        return None


def by_multipliers(
    form: LinearForm, answer: Answer, witness: Answer, about: dict[str, Any]
) -> Solution:
    """Bound by the multipliers of ``witness``, which solved the linear relaxation.

    Raises `NoAnswer` or `NotACertificate` when it has none, or they prove nothing.
    """
    if witness.raw_row_duals is None:
        raise NoAnswer(
            f"{form.name}: nothing to prove a bound with, {witness.solver} stopped for reason "
            f"{witness.reason}, claim {witness.claim}"
        )
    point = answer.raw_point if answer.report else None
    exact = None if point is None else settled(form, point)
    best, tolerance = (point, FEASIBLE) if exact is None else (exact, 0.0)
    try:
        proof = bound_certificate(form, witness.row_duals, point=best, tolerance=tolerance, **about)
    except NotACertificate as error:
        raise NotACertificate(
            f"{error}; what {witness.solver} answered proves nothing here: try another solver, "
            "or solve without a certificate"
        ) from None
    way = RELAXATION if form.is_mip else ""
    return Solution(form, answer, bound=Fraction(proof.bound), certificate=proof, proved_by=way)
