"""The second reading: Pyomo runs the rules itself."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra.declarations import Param, Var
from farkas.algebra.formulation import Family, rules_in_words
from farkas.algebra.latex import domain
from farkas.algebra.program import RuleProgram
from farkas.algebra.sets import IndexedSet, Set
from farkas.errors import RuleError

if TYPE_CHECKING:
    import pyomo.environ as pyo

    from farkas.algebra.program import RuleProgram


def to_pyomo(program: RuleProgram, data: Any) -> pyo.ConcreteModel:
    """Build the Pyomo model of ``program`` on ``data``; component ``doc`` holds label and words.

    Raises `RuleError`: When a relation holds no variable and is false, which Pyomo cannot express.
    Raises `MissingExtra`: Without Pyomo.
    """
    from farkas.extras import needed

    pyo = needed("pyomo.environ")
    declared = program.declarations(data)
    model = pyo.ConcreteModel(name=program.full_name)
    known: dict[int, Any] = {}
    for name, item in declared.each():
        if isinstance(item, Set):
            known[id(item)] = component = pyo.Set(
                initialize=item.members(),
                dimen=item.width,
                ordered=True,
                doc=", ".join(item.labels),
            )
            model.add_component(name, component)
    for name, item in declared.each():
        if isinstance(item, IndexedSet):
            groups = {key: item.group(k) for k, key in enumerate(product_keys(item.over))}
            over = [_set(model, known, s) for s in item.over]
            model.add_component(name, pyo.Set(*over, initialize=groups, dimen=item.width))
        elif isinstance(item, Param):
            model.add_component(name, _param(model, known, item))
        elif isinstance(item, Var):
            model.add_component(name, _variable(model, known, item))
    for named in program.expressions():
        over = [known[id(s)] for s in declared.sets_of(named.sets)]
        made = pyo.Expression(*over, rule=_rule(named), doc=named.doc)
        model.add_component(named.name, made)
    for family in program.families():
        over = [known[id(s)] for s in declared.sets_of(family.sets)]
        rule = _checked(family, program.full_name)
        doc = f"({family.label}) {family.doc}"
        model.add_component(family.name, pyo.Constraint(*over, rule=rule, doc=doc))
    goal = program.objective_rule()
    sense = pyo.minimize if program.sense == "min" else pyo.maximize
    expression = goal.rule(model)
    model.add_component(goal.name, pyo.Objective(expr=expression, sense=sense, doc=goal.doc))
    return model


def product_keys(sets: Sequence[Set]) -> list[Any]:
    """Keys of a product of sets as Pyomo writes them: flat tuples, or plain integers."""
    if len(sets) == 1:
        return sets[0].members()
    parts = [[m if isinstance(m, tuple) else (m,) for m in s.members()] for s in sets]
    return [tuple(itertools.chain(*key)) for key in itertools.product(*parts)]


def _set(model: Any, known: dict[int, Any], one: Set) -> Any:
    import pyomo.environ as pyo

    if id(one) not in known:
        known[id(one)] = made = pyo.Set(initialize=one.members(), dimen=one.width, ordered=True)
        model.add_component(f"set_{len(known)}", made)
    return known[id(one)]


def _param(model: Any, known: dict[int, Any], item: Param) -> Any:
    import pyomo.environ as pyo

    if not item.sets:
        return pyo.Param(initialize=float(item.values), within=pyo.Any)
    values = dict(zip(product_keys(item.sets), item.values.ravel().tolist(), strict=True))
    over = [_set(model, known, s) for s in item.sets]
    return pyo.Param(*over, initialize=values, within=pyo.Any)


def _variable(model: Any, known: dict[int, Any], item: Var) -> Any:
    import pyomo.environ as pyo

    sides = [
        [v if np.isfinite(v) else None for v in item.bounds[side].ravel().tolist()]
        for side in ("lower", "upper")
    ]
    domain = pyo.Binary if item.binary else pyo.Integers if item.integer else pyo.Reals
    if not item.sets:
        pair = sides[0][0], sides[1][0]
        return pyo.Var(domain=domain, bounds=pair, initialize=item.initial, doc=item.doc)
    pairs = dict(zip(product_keys(item.sets), zip(*sides, strict=True), strict=True))

    def bounds(_: Any, *key: Any) -> tuple[float | None, float | None]:
        pair: tuple[float | None, float | None] = pairs[key if len(key) > 1 else key[0]]
        return pair

    over = [_set(model, known, s) for s in item.sets]
    return pyo.Var(*over, domain=domain, bounds=bounds, initialize=item.initial, doc=item.doc)


def _rule(family: Family) -> Callable[..., Any]:
    """Rule as Pyomo calls it; a family without index sets is called with the index None."""
    return lambda m, *index: family.rule(m, *(index if family.sets else ()))


def _checked(family: Family, program: str) -> Callable[..., Any]:
    """Rule whose rows without variables are left out when true and named when false."""
    plain = _rule(family)

    def rule(m: Any, *index: Any) -> Any:
        import pyomo.environ as pyo

        relation = plain(m, *index)
        if isinstance(relation, bool | np.bool_):
            if relation:
                return pyo.Constraint.Skip
            raise RuleError(
                f"{program}: {family.name}{list(index)} holds no variable and is never true"
            )
        return relation

    return rule


class PyomoProgram(RuleProgram):
    """Base of the programs that Pyomo executes and nothing traces; mostly such as are printed.

    Written like a linear program, except that rules may multiply variables, use
    :func:`~farkas.algebra.Product`, :func:`~farkas.algebra.Exp` and
    :func:`~farkas.algebra.Where`, and that an :func:`~farkas.algebra.expression` has a name.
    There is no linear form.
    """

    def describe(self) -> str:
        """Say the program in words, also what is named in it and what its variables are."""
        declared = self.declarations(self.example())
        lines = [inspect.getdoc(type(self)) or self.full_name, "", *rules_in_words(self)]
        for named in self.expressions():
            lines.append(f"{_item(named.name, named.sets)}: {named.doc}")
        for variable in declared.variables:
            over = tuple(one.name for one in variable.sets)
            lines.append(f"{_item(variable.name, over)} {domain(variable)[1]}: {variable.doc}")
        return "\n".join(lines)


def _item(name: str, sets: tuple[str, ...]) -> str:
    return f"  {name}[{', '.join(sets)}]" if sets else f"  {name}"
