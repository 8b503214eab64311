"""One program on one instance: solved, re-checked, and proved where asked."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from fractions import Fraction
from types import NoneType
from typing import Any, Unpack

from farkas.algebra import ConvexProgram
from farkas.algebra.formulation import Formulation
from farkas.api.explain import Finding, explain
from farkas.api.inputs import as_instance
from farkas.api.programs import origin
from farkas.api.prove import as_doubles, built, is_convex, own_model, without_program
from farkas.api.solution import (
    ConvexSolution,
    Solution,
    refuse_linear_wishes,
    solve_convex,
    solve_cvxpy,
)
from farkas.certificates import certify as bound_certificate
from farkas.certificates import certify_infeasible
from farkas.certificates.proof import rounded
from farkas.certificates.repair import settled
from farkas.errors import (
    FarkasError,
    InvalidOption,
    NoAnswer,
    NotACertificate,
    UnsupportedForm,
    require_type,
)
from farkas.exact.from_doubles import rational
from farkas.exact.node_bounds import Deadline
from farkas.exact.result import ProofResult
from farkas.exact.solver import prove_form
from farkas.forms import LinearForm
from farkas.forms.rational import RationalForm
from farkas.relaxations.integrality import relax as without_integrality
from farkas.solvers import Answer, Conclusion
from farkas.solvers import solve as ask
from farkas.solvers.options import OptionNames
from farkas.tolerances import FEASIBLE

#: What proves a bound of an integer program.
RELAXATION, SEARCH = "linear relaxation", "branch and bound"


def best_bound(
    form: LinearForm,
    answer: Answer,
    witness: Answer,
    about: dict[str, Any],
    *,
    seconds: float,
    gap: Fraction | None = None,
) -> Solution:
    """Bound by the multipliers of ``witness``, or else by fractions or branch and bound.

    Raises `NoAnswer` or `NotACertificate` when nothing is proved at all, or the solver is proved
    wrong.  ``witness`` is of the linear relaxation.  A bound within the share ``gap`` of the value
    ends the work; any without.
    """
    left: FarkasError | None = None
    try:
        found = by_multipliers(form, answer, witness, about)
    except (NoAnswer, NotACertificate) as failure:
        found, left = Solution(form, answer), failure
    if left is None and (gap is None or found.within(gap)):
        return found
    tree = in_fractions(form, answer, about, seconds, float(gap or 0))
    if tree is not None and tree.status in ("infeasible", "unbounded"):
        raise NotACertificate(
            f"{form.name}: {answer.solver} claims {answer.claim}, but as doubles it is proved"
            f" {tree.status}; farkas prove writes the proof"
        )
    if tree is not None and tree.certificate is not None:
        way = SEARCH if form.is_mip else ""
        better = Solution(
            form, answer, bound=tree.bound, certificate=tree.certificate, proved_by=way
        )
        found = better if better.tighter(found) else found
    if left is not None and found.bound is None:
        raise left
    return dataclasses.replace(found, interrupted=tree is not None and tree.interrupted)


def in_fractions(
    form: LinearForm, answer: Answer, about: dict[str, Any], seconds: float, gap: float = 0.0
) -> ProofResult | None:
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


DEFAULT = "highs"
EXACT_SECONDS = 60.0  #: Seconds for fractions where no time limit is given.
TREE_SECONDS = 20.0  #: Seconds for branch and bound where no time limit is given.


def solve(
    instance: Any,
    program: str | Formulation | None = None,
    *,
    variant: Mapping[str, str] | None = None,
    solver: str | None = None,
    relax: bool = False,
    certify: bool = False,
    embed: bool = False,
    load: bool = False,
    **options: Unpack[OptionNames],
) -> Solution | ConvexSolution:
    """Solve a program on an instance; the solver's answer is re-checked and, where asked, proved.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one; or a model of its own: the
        path of an ``.mps`` or ``.lp`` file, also packed, its numbers rounded to doubles, or
        whatever model in memory :func:`farkas.prove` takes, a convex `cvxpy.Problem` too.
    program
        Name, for example ``"mlbroker.relaxed[tight]"``, or a program; left out for a model.
    variant
        Options of a program given by name, as in ``{"linking": "tight"}``.
    solver
        See :func:`farkas.solvers.solve`; a convex program that is not linear takes CVXPY's name of
        a solver.  Without: HiGHS, and Clarabel for convex programs.
    relax, certify
        As in :func:`solve_form`, with its ``search``; of linear programs only.
    embed
        Put the linear form into the certificate, so that it can be checked without the instance.
    load
        Put the point into the model in memory: values of Pyomo's, CVXPY's and linopy's variables,
        start values of Gurobi and HiGHS; and duals where the package has a place for them.
    options
        ``time_limit``, ``gap``, ``threads``, ``seed``, ``log``; see :func:`farkas.solvers.solve`.

    Returns
    -------
    For a convex program that is not linear its :class:`~farkas.api.solution.ConvexSolution`.

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
    require_type(solver, (str, NoneType), "solver")
    wished = {"relax": relax, "certify": certify, "embed": embed}
    for name, switch in {**wished, "load": load}.items():
        require_type(switch, bool, name)
    try:
        model = own_model(instance, program or variant)
    except UnsupportedForm:
        if not is_convex(instance):
            raise
        refuse_linear_wishes("the problem", **wished)
        return solve_cvxpy(instance, solver=solver, load=load, **options)
    if load and (model is None or isinstance(instance, str | os.PathLike)):
        raise InvalidOption("load = True: needs a model in memory to load values into")
    about: dict[str, Any] = {"embed": embed}
    if model is None:
        if program is None:
            raise without_program(as_instance(instance))
        require_type(program, (str, Formulation), "program")
        require_type(variant, (Mapping, NoneType), "variant")
        for name, value in (variant or {}).items():
            require_type(name, str, "name of a variant")
            require_type(value, str, f"variant {name}")
        chosen = built(program, variant) if isinstance(program, str) else program
        data = as_instance(instance)
        if isinstance(chosen, ConvexProgram):
            refuse_linear_wishes(chosen.full_name, **wished)
            return solve_convex(chosen, data, solver=solver, **options)
        form, about = chosen.form(data), about | origin(chosen, data)
    else:
        form = as_doubles(model)
    solution = solve_form(
        form,
        solver=solver or DEFAULT,
        relax=relax,
        certify=certify,
        about=about,
        search=True,
        **options,
    )
    if isinstance(model, RationalForm):
        solution = dataclasses.replace(solution, source=model)
    if load and solution.answer.has_point:
        solution.load_into(instance)
    return solution


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

    Raises `NoAnswer` when the solver gives no multipliers to prove anything with; `NotACertificate`
    when its multipliers prove nothing.  The bound of an integer program is that of its linear
    relaxation; where multipliers in doubles prove nothing, fractions are tried.  Where that bound
    is below the value of the solver's point, ``search`` improves it by branch and bound for as long
    as the time limit says, 20 seconds without; how far that gets depends on the machine.  Branch
    and bound also proves that there is no point where integrality alone says so.  ``about`` is what
    the certificate says of its origin, see :func:`origin`; options are those of
    :func:`farkas.solvers.solve`.
    """
    if relax:
        form = without_integrality(form)
    answer = ask(form, solver, **options)
    if answer.claim is Conclusion.INFEASIBLE:
        asked = {"certify": certify, "search": search and form.is_mip}
        return _refused(form, answer, dict(about or {"embed": False}), options, **asked)
    if not certify:
        return Solution(form, answer)
    answer.unless_interrupted()
    if answer.claim is Conclusion.UNBOUNDED:
        raise NotACertificate(
            f"{form.name}: {answer.solver} claims unbounded: no bound; farkas prove decides it"
        )
    witness = ask(without_integrality(form), solver, **options) if form.is_mip else answer
    limit, origin = options.get("time_limit"), dict(about or {"embed": False})
    usual, wanted = EXACT_SECONDS, None  # any bound is near enough
    if search and form.is_mip:
        usual, wanted = TREE_SECONDS, Fraction(options.get("gap") or 0.0)
    seconds = usual if limit is None else limit
    return best_bound(form, answer, witness, origin, seconds=seconds, gap=wanted)


def _refused(
    form: LinearForm,
    answer: Answer,
    about: dict[str, Any],
    options: dict[str, Any],
    *,
    certify: bool,
    search: bool,
) -> Solution:
    """Explain a claim of infeasibility, and certify the rows that the explanation names."""
    limit = options.get("time_limit")
    found = explain(form, ray=answer.raw_ray, seconds=math.inf if limit is None else limit)
    if not certify:
        return Solution(form, answer, explanation=found, infeasible=found.violation)
    if found.finding is Finding.INTEGRALITY and search:
        seconds = TREE_SECONDS if limit is None else limit
        return _without_point(Solution(form, answer, explanation=found), about, seconds)
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


def _without_point(claimed: Solution, about: dict[str, Any], seconds: float) -> Solution:
    """Prove by branch and bound that integrality leaves no point."""
    form, who = claimed.form, claimed.answer.solver
    tree = in_fractions(form, claimed.answer, about, seconds)
    if tree is not None and tree.status == "infeasible":
        return dataclasses.replace(
            claimed, infeasible=Fraction(0), certificate=tree.certificate, proved_by=SEARCH
        )
    if tree is not None and tree.interrupted:
        raise KeyboardInterrupt
    if tree is not None and tree.value is not None:
        raise NotACertificate(
            f"{form.name}: {who} claims infeasible, which is wrong: as doubles it has a point of"
            f" value {rounded(tree.value, up=form.sense == 'min')}; farkas prove writes it"
        )
    raise NotACertificate(
        f"{form.name}: {who} claims infeasible; if it is, only because of integrality, which"
        f" branch and bound did not prove in {seconds:g} seconds; allow more with --time-limit"
    )
