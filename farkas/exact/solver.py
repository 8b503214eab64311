"""Prove a linear or integer program: optimal, infeasible, unbounded, or as much as the time allows.

A solver is asked first, since its point and basis save work; what it says is kept as a claim beside
what was proved, and never believed.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.certificates.tree import TreeCertificate, UnboundedCertificate
from farkas.errors import NoAnswer, NotACertificate, UnsupportedForm
from farkas.exact.bound_propagation import derived
from farkas.exact.certificate import (
    ProofTree,
    one_leaf,
    refuted,
    tree_certificate,
    unbounded_certificate,
)
from farkas.exact.from_doubles import rational
from farkas.exact.linear import ExactLinear, solve_linear
from farkas.exact.node_bounds import ZERO, BoundProblem, Deadline, OutOfTime, Weights
from farkas.exact.result import ProofResult, Status
from farkas.exact.tree import Progress, search
from farkas.forms import LinearForm
from farkas.forms.rational import RationalForm, Side
from farkas.messages import named
from farkas.solvers import Answer, Conclusion, Reason, solve
from farkas.solvers.options import CtrlC
from farkas.solvers.simplex import End, Simplex
from farkas.tolerances import SOLVER_GAP, relative

#: Of the time that is left, for searching; the checker has to see every leaf again.
SEARCH_SHARE = 0.7
SOLVERS_SHARE = 0.5  #: Share of a time limit that the asked solver may use of an integer program.
SECOND_LOOK = 10.0  #: Times the seconds of a solver that the proof of its optimum may take.


def optimum(form: LinearForm) -> float:
    """Optimal value, to a gap of 0; raises `NoAnswer` when the solver claims none."""
    return exact_answer(form).require_optimal().objective


def exact_answer(form: LinearForm, answer: Answer | None = None) -> Answer:
    """Return what a solver answers, or what is proved better than its claim.

    Solvers lose optima of integer programs in presolve.  A claim that is better than the exact
    optimum stays: data are decimals, and its point keeps them up to rounding.  It stays, too, where
    the proof takes longer than `SECOND_LOOK`, and at least a second.  Without ``answer`` the
    default solver is asked.
    """
    answer = answer or solve(form)
    if not form.is_mip or answer.claim not in (Conclusion.OPTIMAL, Conclusion.INFEASIBLE):
        return answer
    try:
        proved = prove_form(
            rational(form),
            answer=answer,
            time_limit=max(1.0, SECOND_LOOK * answer.seconds),
            embed=False,
        )
    except (NoAnswer, UnsupportedForm):
        return answer
    message = f"{answer.solver} claims {answer.claim}, and a better point is proved"
    if proved.status == "unbounded":
        return Answer(
            reason=Reason.FINISHED,
            claim=Conclusion.UNBOUNDED,
            solver=answer.solver,
            message=message,
        )
    if proved.value is None or proved.point is None:
        return answer
    value, sign = float(proved.value), 1 if form.sense == "min" else -1
    lost = sign * (answer.objective - value)
    if answer.has_point and not relative(lost, value, answer.objective) > SOLVER_GAP:
        return answer
    found = proved.status == "optimal"
    return Answer(
        reason=Reason.FINISHED if found else Reason.TIME_LIMIT,
        claim=Conclusion.OPTIMAL if found else Conclusion.FEASIBLE,
        objective=value,
        bound=value if found else math.nan,
        raw_point=np.array([float(x) for x in proved.point]),
        solver=answer.solver,
        message=message,
    )


def prove_form(
    form: RationalForm,
    *,
    solver: str = "highs",
    answer: Answer | None = None,
    time_limit: float | None = None,
    gap: float = 0.0,
    embed: bool = True,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> ProofResult:
    """Prove what is true of a program; Ctrl-C ends the search and keeps what was proved.

    ``solver``: asked first; see :func:`farkas.solvers.solve`.  ``answer``: what a solver has said
    already; none is asked then.  ``time_limit``: seconds; what is proved by then is returned with
    status ``"bound"``.  ``gap``: distance of value and bound, as a share of the value, that is
    small enough.  ``embed``: put the program into the certificate.  ``about``: origin of the
    program for its certificate: ``kind``, ``options``, ``instance``.  ``progress``: called now and
    then with nodes, bound and value.
    """
    begin = time.perf_counter()
    clock = Deadline(math.inf if time_limit is None else time_limit)
    origin = {"program": form.name, **(about or {})}
    solver = solver if answer is None else answer.solver
    answer = answer or _asked(form, solver, clock)
    with CtrlC() as keys:
        clock = Deadline(clock.left, lambda: keys.pressed)
        if form.is_mip:
            found = _integer(form, answer, clock.part(SEARCH_SHARE), gap, _signed(form, progress))
        else:
            found = _linear(form, answer, clock)
    if isinstance(found, ExactLinear):
        assert found.point is not None
        assert found.direction is not None
        proved = ProofResult(
            form=form,
            status="unbounded",
            point=found.point,
            certificate=unbounded_certificate(
                form, found.point, found.direction, embed=embed, about=origin
            ),
        )
    else:
        proved = _proved(form, found, embed=embed, about=origin)
    _require_consent(proved)
    seconds = time.perf_counter() - begin
    stopped = keys.pressed and proved.status == "bound"
    return dataclasses.replace(
        proved, seconds=seconds, solver=solver, answer=answer, interrupted=stopped
    )


def _require_consent(proved: ProofResult) -> None:
    """Let the checker prove what the search says it has proved; raises `NotACertificate`."""
    if isinstance(proved.certificate, TreeCertificate | UnboundedCertificate):
        proof = proved.certificate.prove_of(proved.form, "form", math.inf)
        value = proved.point_value if proved.status == "unbounded" else proved.value
        said = (proved.bound, value, proved.status == "infeasible")
        if (proof.bound, proof.value, proof.infeasible) != said:
            raise NotACertificate(f"{named(proved.form.name)}: less is proved than was found")


def _signed(form: RationalForm, progress: Progress | None) -> Progress | None:
    """Progress of a search, which sees a minimum, in the sense of the program."""
    if progress is None or form.sense == "min":
        return progress

    def told(nodes: int, bound: Side, value: Side) -> None:
        progress(nodes, None if bound is None else -bound, None if value is None else -value)

    return told


def _asked(form: RationalForm, solver: str, clock: Deadline) -> Answer | None:
    """Ask a solver; HiGHS solves linear programs where its basis is read."""
    # where a whole column has no end, HiGHS 1.15 may search for ever: 370 s of a limit of 60
    if solver == "highs" and (not form.is_mip or _endless(form, clock)):
        return None
    left = None if math.isinf(clock.left) else clock.left * (SOLVERS_SHARE if form.is_mip else 1.0)
    return solve(form.linear, solver, time_limit=left).unless_interrupted()


def _endless(form: RationalForm, clock: Deadline) -> bool:
    """Whether a whole column has neither end, nor does a row give it one."""

    def lacking(lower: Sequence[Side], upper: Sequence[Side]) -> bool:
        columns = zip(form.integer.tolist(), lower, upper, strict=True)
        return any(whole and low is None and high is None for whole, low, high in columns)

    return lacking(form.lower, form.upper) and lacking(
        *derived(BoundProblem(form), None, deadline=clock)[:2]
    )


def _proved(
    form: RationalForm, tree: ProofTree, *, embed: bool, about: Mapping[str, Any]
) -> ProofResult:
    sign = 1 if form.sense == "min" else -1
    value = None if tree.value is None else sign * tree.value
    bound = None if tree.bound is None else sign * tree.bound
    if tree.complete and value is None and bound is None:
        status: Status = "infeasible"
    elif value is not None and bound == value:
        status = "optimal"
    else:
        status = "bound"
    known = status == "infeasible" or bound is not None
    return ProofResult(
        form=form,
        status=status,
        value=value,
        point=tree.point,
        bound=bound,
        nodes=tree.searched,
        certificate=tree_certificate(form, tree, embed=embed, about=about) if known else None,
    )


def _linear(form: RationalForm, answer: Answer | None, clock: Deadline) -> ProofTree | ExactLinear:
    """Solve a linear program exactly; at the deadline what rounded multipliers prove."""
    try:
        found = solve_linear(form, deadline=clock)
    except OutOfTime:
        return _at_limit(form, answer)
    if found.status == "unbounded":
        return found
    assert found.multipliers is not None
    ray = found.status == "infeasible"
    sign = 1 if ray or form.sense == "min" else -1
    program = BoundProblem(form)
    weights = program.exact([sign * y for y in found.multipliers], ray=ray)
    value = None if found.value is None else sign * found.value
    return one_leaf(weights, value, value, found.point)


def _at_limit(form: RationalForm, answer: Answer | None) -> ProofTree:
    """Bound by the multipliers there are, rounded; by those of no row where there are none."""
    program = BoundProblem(form)
    lower, upper, steps = derived(program, None)
    sign = 1.0 if form.sense == "min" else -1.0
    best: Weights = program.weighted({}, 1, ray=False)
    if answer is not None and answer.raw_row_duals is not None:
        best = program.rounded(sign * answer.raw_row_duals) or best
    bound = best.value(lower, upper)
    return dataclasses.replace(one_leaf(best, bound, None, None), steps=steps, complete=False)


def _integer(
    form: RationalForm,
    answer: Answer | None,
    clock: Deadline,
    gap: float,
    progress: Progress | None,
) -> ProofTree | ExactLinear:
    known = refuted(form)
    if known is not None:
        return known
    near = answer.point if answer is not None and answer.has_point else None
    unbounded = _maybe_unbounded(form, clock)
    if unbounded is not None:
        return unbounded
    return search(form, near=near, deadline=clock, gap=gap, progress=progress)


def _maybe_unbounded(form: RationalForm, clock: Deadline) -> ProofTree | ExactLinear | None:
    """Decide an integer program with an unbounded relaxation: infeasible or unbounded itself."""
    end = Simplex(form.linear).run(seconds=clock.left)
    if end in (End.OPTIMAL, End.INFEASIBLE):
        return None
    try:
        relaxed = solve_linear(form, deadline=clock)
    except NoAnswer:
        return None
    if relaxed.status != "unbounded":
        return None
    still = search(form.replace(cost=(ZERO,) * form.num_columns), deadline=clock)
    if still.point is None:
        # rays prove that there is no point, whatever the costs; until then nothing is bounded
        return dataclasses.replace(still, gain=ZERO, bound=None)
    return dataclasses.replace(relaxed, point=still.point)
