"""What a key means: a quantity, the optimum of a program, or what a run of an algorithm is worth.

``mlbroker.relaxed[tight]`` is the optimum of a program in a variant, ``mlbroker.central`` the value
of a run, ``mlbroker.central.deploy`` one of its numbers or the sum of one part of its costs,
``mlbroker.fractional[relax=tight].bound`` what a run with options proves.
"""

import functools
import math
import re
import typing
from collections.abc import Callable
from typing import Any

from farkas.algebra import ConvexProgram, programs
from farkas.algebra.formulation import first_line
from farkas.errors import NotApplicable, UnknownName
from farkas.forms import LinearForm
from farkas.online.driver import algorithms
from farkas.online.run import Run
from farkas.quantities.quantity import Quantity, quantities
from farkas.solvers import Answer, Conclusion, solve
from farkas.tolerances import SIMPLEX

#: Keys of case files that the rule alone would not understand, or would solve more slowly.
OLD_NAMES = {
    "coded.uncoded.mean": "coded.uncoded.mean_of_last",
    "coded.uncoded.quantile": "coded.uncoded.quantile_of_last",
    "dps.interval_lp_capped": "dps.interval_lp[capped]",
    # equal to the program of rings, and to that of embeddings, in far fewer columns
    "gadget.column_ip": "gadget.circulation",
    "gadget.gvne": "gadget.circulation",
    "gadget.slot_gain": "gadget.circulation",
    "mlbroker.fractional[printed].certificate_rebuilt": "mlbroker.fractional[printed].bound",
    "mlbroker.fractional[printed].cost": "mlbroker.fractional[printed].value",
    "mlbroker.fractional[tight].certificate_rebuilt": "mlbroker.fractional[tight].bound",
    "mlbroker.fractional[tight].cost": "mlbroker.fractional[tight].value",
    "mlbroker.offline[printed]": "mlbroker.offline[printed,two,split]",
    "mlbroker.offline[strict]": "mlbroker.offline[strict,two,split]",
}


def find(key: str, kind: str) -> Quantity:
    """Return what ``key`` stands for among the names of ``kind``.

    Raises `UnknownName`: nothing has that name; says the nearest one; `InvalidOption`: ``key`` is a
    program or algorithm with an option that it does not have.
    """
    patterns = quantities.names(f"{kind}.")
    for pattern in patterns:
        if quantities[pattern].matches(key):
            return quantities[pattern]
    name = OLD_NAMES.get(key, key)
    owner, stem = name.partition(".")[0], name.partition("[")[0]
    if owner == kind and stem in programs:
        words = f"Optimum of the program: {first_line(programs.build(name))}"
        return Quantity(key, functools.partial(program_optimum, name), {}, words)
    run = re.fullmatch(r"(\w+\.\w+)(?:\[([^\[\]]*)\])?(?:\.(\w+))?", name)
    if owner == kind and run and run[1] in algorithms:
        part = run[3] or "value"
        words = f"The {part} of a run: {algorithms[run[1]].doc}"
        return Quantity(key, _worth(run[1], run[2] or "", part), {}, words)
    others = [name for role in (programs, algorithms) for name in role.names(f"{kind}.")]
    raise UnknownName.of(f"{kind} quantity", key, [*patterns, *OLD_NAMES, *others])


def _worth(name: str, bracket: str, part: str) -> Callable[[Any], float | None]:
    """Value of a run, its bound, a number, or the sum of a part of its costs; None if infinite."""
    item, options = algorithms[name], dict[str, str]()
    for given in filter(None, bracket.split(",")):
        option, _, word = given.rpartition("=")
        # a word alone belongs to the first option that knows it
        fits = (key for key, type_ in item.types.items() if word in typing.get_args(type_))
        options[option or next(fits, word)] = word
    settled = tuple(item.settle(options, strict=False).items())

    def worth(instance: Any) -> float | None:
        run = _run(name, settled, instance)
        known = {**run.numbers, "value": run.value}
        if run.certificate is not None:
            known["bound"] = float(run.certificate)
        costs = [slot[part] for slot in run.costs if part in slot]
        if part not in known and not costs:
            raise NotApplicable(f"a run of {name} has no {part} here; it has {', '.join(known)}")
        found = known.get(part, sum(costs))
        return found if math.isfinite(found) else None

    return worth


@functools.lru_cache(maxsize=8)  # for keys that are parts of one run
def _run(name: str, options: tuple[tuple[str, Any], ...], instance: Any) -> Run:
    seed = getattr(instance, "seed", None) or 0
    return algorithms[name].run(instance, seed, **dict(options))


def optimum(form: LinearForm) -> float:
    """Optimal value, to a gap of 0; raises `NoAnswer` when the solver claims none."""
    return _solved(form).require_optimal().objective


def _solved(form: LinearForm) -> Answer:
    """Answer of the solver; of an integer program what is proved better."""
    if not form.is_mip:
        return solve(form)
    from farkas.exact.solver import exact_answer  # here: linear programs are solved without it

    return exact_answer(form)


def program_optimum(name: str, instance: Any) -> float | None:
    """Optimum of a program, to a gap of 0; None where it is claimed infeasible or unbounded.

    Raises `NotApplicable` when the program is not defined for the instance, `UnsupportedForm` when
    it is neither linear nor convex.
    """
    program = programs.build(name)
    if isinstance(program, ConvexProgram):
        from farkas.solvers.convex import solve_problem

        problem = program.model(instance).problem
        return float(solve_problem(problem, tolerance=SIMPLEX).require_optimal().objective)
    answer = _solved(program.form(instance))
    if answer.claim in (Conclusion.INFEASIBLE, Conclusion.UNBOUNDED):
        return None
    return answer.require_optimal().objective
