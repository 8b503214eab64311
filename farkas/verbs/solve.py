"""One program on one instance: solved, re-checked, and proved where asked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from fractions import Fraction
from types import NoneType
from typing import Any, Unpack

from farkas.algebra import ConvexProgram
from farkas.algebra.formulation import Formulation
from farkas.certificates import Certificate, certify_infeasible
from farkas.certificates import certify as bound_certificate
from farkas.certificates.doubles import double, text_of
from farkas.certificates.points import exact_value
from farkas.certificates.proof import rounded
from farkas.errors import FarkasError, InvalidOption, NoAnswer, NotACertificate, UnsupportedForm
from farkas.exact.proving import Proved, prove_form
from farkas.forms import FeasibilityReport, LinearForm
from farkas.forms.model_text import is_model, read_model
from farkas.forms.naming import short_name
from farkas.forms.rational import as_rational
from farkas.relaxations.integrality import relax as without_integrality
from farkas.required import require_type
from farkas.solvers import Answer, Claimed
from farkas.solvers import solve as ask
from farkas.solvers.options import OptionNames
from farkas.tolerances import FEASIBLE
from farkas.verbs.convex import ConvexSolution, refuse_linear_wishes, solve_convex
from farkas.verbs.explain import Explanation, Finding, explain
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.verbs.programs import find_program, origin, trace
from farkas.words import named

EXACT_SECONDS = 60.0
"""Seconds for fractions where no time limit is given."""
TREE_SECONDS = 20.0
"""Seconds for branch and bound where no time limit is given."""


@dataclasses.dataclass(frozen=True, slots=True)
class Solution:
    """What a solver said about a program, and what of it is proved.

    Parameters
    ----------
    form
        The form that was solved.
    answer
        The solver's claims.
    bound
        Proved bound on the optimum; None when not asked for, or when there is none.
    infeasible
        Proved distance from feasibility, > 0; None when there is no such proof.
    certificate
        What proves the bound or the infeasibility; None when not asked for.
    explanation
        Why there is no point; None unless the solver claims so.
    interrupted
        Whether Ctrl-C ended the search for a better bound.
    """

    form: LinearForm
    answer: Answer
    bound: Fraction | None = None
    infeasible: Fraction | None = None
    certificate: Certificate | None = None
    explanation: Explanation | None = None
    interrupted: bool = False

    def __repr__(self) -> str:
        answer = self.answer
        said = f"{answer.solver} claims {answer.claim}"
        if answer.has_point:
            said += f" at {answer.objective:.6g}"
        if self.bound is not None:
            said += f", proved bound {rounded(self.bound, up=self.form.sense == 'max')}"
        if self.infeasible is not None:
            said += ", proved infeasible"
        return f"<{self.form.name}: {said}>"

    @property
    def report(self) -> FeasibilityReport | None:
        """What the audit of the answer measured; None without a point."""
        return self.answer.report

    @property
    def gap(self) -> float | None:
        """Distance of the point's value from the proved bound, in the objective's unit, at most."""
        if self.bound is None or not self.answer.has_point:
            return None
        value = exact_value(self.form, self.answer.point)
        distance = value - self.bound if self.form.sense == "min" else self.bound - value
        return double(distance, up=True)

    def within(self, share: Fraction) -> bool:
        """Whether value and proved bound are at most a share of the value apart, exactly."""
        if self.bound is None or not self.answer.has_point:
            return False
        value = exact_value(self.form, self.answer.point)
        return abs(value - self.bound) <= share * abs(value)

    @property
    def too_good(self) -> bool:
        """Whether the point is better than the proved bound, so that it keeps tolerances only."""
        if self.bound is None or not self.answer.has_point:
            return False
        value = exact_value(self.form, self.answer.point)
        beyond = self.bound - value if self.form.sense == "min" else value - self.bound
        return beyond > Fraction(FEASIBLE) * max(abs(value), abs(self.bound))

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the nonzero values by name."""
        form, answer, up = self.form, self.answer, self.form.sense == "max"
        data: dict[str, Any] = {
            "program": form.name,
            "sense": form.sense,
            "rows": form.num_rows,
            "columns": form.num_columns,
            "entries": form.num_entries,
            "integers": int(form.integer.sum()),
            "form_sha256": form.sha256,
            "solver": answer.solver,
            "reason": str(answer.reason),
            "claim": str(answer.claim),
            "objective": answer.objective,
            "claimed_bound": answer.bound,
            "seconds": answer.seconds,
            "message": answer.message,
            "largest_violation": None if self.report is None else self.report.worst,
            "feasible": None if self.report is None else bool(self.report),
            "proved_bound": None if self.bound is None else double(self.bound, up=up),
            "proved_bound_exact": None if self.bound is None else text_of(self.bound),
            "proved_gap": self.gap,
            "proved_infeasible": None if self.infeasible is None else str(self.infeasible),
            "explanation": None if self.explanation is None else self.explanation.to_builtins(),
        }
        if point and answer.has_point:
            data["point"] = self.values()
        return data

    def values(self) -> dict[str, float]:
        """Nonzero entries of the point by name, for example ``workers[3,7,2]``."""
        return {
            short_name(block, j): float(self.answer.point[j])
            for block in self.form.columns
            for j in range(block.start, block.stop)
            if self.answer.point[j] != 0
        }


def solve(
    instance: InstanceOrName,
    program: str | Formulation | None = None,
    *,
    variant: Mapping[str, str] | None = None,
    solver: str = "highs",
    relax: bool = False,
    certify: bool = False,
    embed: bool = False,
    **options: Unpack[OptionNames],
) -> Solution | ConvexSolution:
    """Solve a program on an instance; the solver's answer is re-checked and, where asked, proved.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one; or a model of its own, the
        path of an ``.mps`` or ``.lp`` file, also gzipped, its numbers rounded to doubles.
    program
        Name, for example ``"mlbroker.relaxed[tight]"``, or a program; left out for a model.
    variant
        Options of a program given by name, as in ``{"linking": "tight"}``.
    solver
        See :func:`farkas.solvers.solve`; a convex program that is not linear takes CVXPY's name of
        a conic solver, and ``highs`` means Clarabel there.
    relax, certify
        As in :func:`solve_form`, with its ``search``; of linear programs only.
    embed
        Put the linear form into the certificate, so that it can be checked without the instance.
    options
        ``time_limit``, ``gap``, ``threads``, ``seed``, ``log``; see :func:`farkas.solvers.solve`.

    Returns
    -------
    For a convex program that is not linear its :class:`~farkas.verbs.convex.ConvexSolution`.

    Raises
    ------
    UnknownName, InvalidOption
        No such program, variant, solver or option.
    InvalidInstance
        The instance is of another kind.
    UnsupportedForm
        The program has neither a linear form nor a convex model, or something was asked of a
        convex program that only linear ones can do.
    NoAnswer, NotACertificate
        With ``certify``, when there is nothing to prove a bound with, or it proves nothing.

    Examples
    --------
    >>> import farkas
    >>> solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    >>> float(solution.bound), solution.gap
    (16.8, 0.0)
    """
    if is_model(instance):
        if program is not None or variant:
            raise InvalidOption(f"{named(str(instance))}: a model is a program of its own")
        form = read_model(str(instance)).linear
        about = {"embed": embed}
        return solve_form(
            form, solver=solver, relax=relax, certify=certify, about=about, search=True, **options
        )
    require_type(program, (str, Formulation), "program")
    assert program is not None
    require_type(solver, str, "solver")
    require_type(variant, (Mapping, NoneType), "variant")
    for name, value in (variant or {}).items():
        require_type(name, str, "name of a variant")
        require_type(value, str, f"variant {name}")
    for name, switch in {"relax": relax, "certify": certify, "embed": embed}.items():
        require_type(switch, bool, name)
    chosen = find_program(program, **variant or {}) if isinstance(program, str) else program
    data = as_instance(instance)
    if isinstance(chosen, ConvexProgram):
        refuse_linear_wishes(chosen, relax=relax, certify=certify, embed=embed)
        return solve_convex(chosen, data, solver=solver, **options)
    return solve_form(
        trace(chosen, data),
        solver=solver,
        relax=relax,
        certify=certify,
        about=origin(chosen, data, embed=embed),
        search=True,
        **options,
    )


def solve_form(
    form: LinearForm,
    *,
    solver: str = "highs",
    relax: bool = False,
    about: Mapping[str, Any] | None = None,
    certify: bool = False,
    search: bool = False,
    **options: Any,
) -> Solution:
    """Solve a form and, where asked, prove bound or infeasibility.

    Parameters
    ----------
    relax
        Drop integrality first.
    certify
        Prove in exact arithmetic what the solver claims.  The bound of an integer program is that
        of its linear relaxation.  Where multipliers in doubles prove nothing, fractions are tried.
    about
        What the certificate says of its origin, see :func:`origin`.
    search
        Where that bound is below the value of the solver's point, improve it by branch and bound
        for as long as the time limit says, 20 seconds without; how far that gets depends on the
        machine.
    options
        See :func:`farkas.solvers.solve`.

    Raises
    ------
    NoAnswer
        When the solver gives no multipliers to prove anything with.
    NotACertificate
        When its multipliers prove nothing.
    """
    if relax:
        form = without_integrality(form)
    answer = ask(form, solver, **options)
    if answer.claim is Claimed.INFEASIBLE:
        return _refused(form, answer, certify, dict(about or {"embed": False}), options)
    if not certify:
        return Solution(form, answer)
    answer.unless_interrupted()
    if answer.claim is Claimed.UNBOUNDED:
        raise NotACertificate(f"{form.name}: {answer.solver} claims unbounded; nothing bounds it")
    witness = ask(without_integrality(form), solver, **options) if form.is_mip else answer
    limit = options.get("time_limit")
    seconds = EXACT_SECONDS if limit is None else limit
    found = _proved(form, answer, witness, dict(about or {"embed": False}), seconds)
    wanted = Fraction(options.get("gap") or 0.0)
    if search and form.is_mip and not found.within(wanted):
        spent = TREE_SECONDS if limit is None else limit
        return _searched(found, dict(about or {"embed": False}), spent, float(wanted))
    return found


def _searched(found: Solution, about: dict[str, Any], seconds: float, gap: float) -> Solution:
    """Improve the bound of an integer program by branch and bound."""
    form, answer = found.form, found.answer
    tree = _fractions(form, answer, about, seconds, gap)
    if tree is None:
        return found
    found = dataclasses.replace(found, interrupted=tree.interrupted)
    if tree.bound is None or found.bound is None:
        return found
    better = tree.bound > found.bound if form.sense == "min" else tree.bound < found.bound
    if not better:
        return found
    return dataclasses.replace(found, bound=tree.bound, certificate=tree.certificate)


def _refused(
    form: LinearForm, answer: Answer, certify: bool, about: dict[str, Any], options: dict[str, Any]
) -> Solution:
    """Explain a claim of infeasibility, and certify the rows that the explanation names."""
    limit = options.get("time_limit")
    found = explain(form, ray=answer.raw_ray, seconds=math.inf if limit is None else limit)
    if not certify:
        return Solution(form, answer, explanation=found, infeasible=found.violation)
    if found.finding is Finding.INTEGRALITY:
        raise NotACertificate(
            f"{form.name}: {answer.solver} claims infeasible; if it is, only because of"
            " integrality, which rows alone do not prove; farkas prove searches for a proof"
        )
    if found.finding is not Finding.ROWS:
        raise NotACertificate(f"{form.name}: {found.note}")
    refusal = certify_infeasible(form, found.ray, **about)
    violation = Fraction(refusal.violation)
    return Solution(form, answer, infeasible=violation, certificate=refusal, explanation=found)


def _proved(
    form: LinearForm,
    answer: Answer,
    witness: Answer,
    about: dict[str, Any],
    seconds: float,
) -> Solution:
    """Bound by the multipliers; where they prove nothing, by fractions."""
    by_rounding: Solution | FarkasError
    try:
        by_rounding = _by_multipliers(form, answer, witness, about)
    except (NoAnswer, NotACertificate) as failure:
        by_rounding = failure
    if isinstance(by_rounding, Solution):
        return by_rounding
    found = _fractions(form, answer, about, seconds)
    if found is None or found.bound is None or found.certificate is None:
        raise by_rounding
    return Solution(form, answer, bound=found.bound, certificate=found.certificate)


def _fractions(
    form: LinearForm, answer: Answer, about: dict[str, Any], seconds: float, gap: float = 0.0
) -> Proved | None:
    """Prove what can be in that time; None for nothing.

    Raises
    ------
    NotACertificate
        The solver is proved wrong.
    """
    embed, origin = about.get("embed", False), {k: v for k, v in about.items() if k != "embed"}
    try:
        found = prove_form(
            as_rational(form), answer=answer, time_limit=seconds, gap=gap, embed=embed, about=origin
        )
    except (NoAnswer, UnsupportedForm):
        return None
    if found.status in ("infeasible", "unbounded"):
        raise NotACertificate(
            f"{form.name}: {answer.solver} claims {answer.claim}, but as doubles it is proved"
            f" {found.status}; farkas prove writes the proof"
        )
    return found


def _by_multipliers(
    form: LinearForm, answer: Answer, witness: Answer, about: dict[str, Any]
) -> Solution:
    if witness.raw_row_duals is None:
        raise NoAnswer(
            f"{form.name}: nothing to prove a bound with, {witness.solver} stopped for reason "
            f"{witness.reason}, claim {witness.claim}"
        )
    point = answer.raw_point if answer.report else None
    try:
        proof = bound_certificate(form, witness.row_duals, point=point, tolerance=FEASIBLE, **about)
    except NotACertificate as error:
        raise NotACertificate(
            f"{error}; what {witness.solver} answered proves nothing here: try another solver, "
            "or solve without a certificate"
        ) from None
    return Solution(form, answer, bound=Fraction(proof.bound), certificate=proof)
