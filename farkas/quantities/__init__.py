"""Named quantities of an instance: what ``farkas show FILE KEY`` computes.

A quantity is a function of an instance, registered under a pattern of keys, one file a kind::

    @quantity("eris.best_schedule[{i}]", i=lambda instance: range(len(instance.jobs)))
    def best_schedule(instance, i): ...                         # i arrives as int

Other names have a value by the rule of `farkas.quantities.names`: a program's is its optimum, an
algorithm's is what a run is worth.

A quantity that is not defined for an instance raises :class:`~farkas.errors.NotApplicable`; its key
is then absent.  ``None`` is a value: it means what the kind says it means (infeasible, unbounded).
"""

from farkas.quantities.evaluation import Evaluation, evaluate, evaluate_all
from farkas.quantities.names import find
from farkas.quantities.quantity import Quantity, Value, quantities, quantity

__all__ = [
    "Evaluation",
    "Quantity",
    "Value",
    "evaluate",
    "evaluate_all",
    "find",
    "quantities",
    "quantity",
]
