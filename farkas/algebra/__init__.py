"""Rules written once in Pyomo's syntax, traced to sparse arrays or executed by Pyomo.

A rule that means nothing raises `farkas.errors.RuleError`, where the mistake is seen:

- a branch on an index or parameter, or one turned into a plain number: `cells`
- products, powers, strict or chained comparisons, ``Sum`` and ``Between`` of other things:
  `expressions`
- a loop without ``Sum``, an index outside its set, a repeated member: `sets`, `ragged`
- what a rule returns, and who is at fault (program, family, label): `assemble`
- names, shapes and bounds of what is declared: `declare`; names of families: `rules`,
  `formulation`; rows that are never true: `to_pyomo`; what has no words: `latex`
- convex programs: `convex`
"""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "to_pyomo": "PyomoProgram",
        "convex": "Exp Product Where ConvexModel ConvexProgram",
        "declarations": "expression Param Var",
        "expressions": "Sum",
        "formulation": "constraint objective option programs",
        "program": "Between Program",
        "sets": "IndexedSet Set",
    },
)
