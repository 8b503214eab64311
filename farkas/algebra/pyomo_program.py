"""Programs that are Pyomo models only, since they are neither linear nor convex."""

import inspect

from farkas.algebra.described import rules_in_words
from farkas.algebra.latex import domain
from farkas.algebra.rules import RuleProgram


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
