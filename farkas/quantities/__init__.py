"""Named quantities of an instance: what ``farkas show FILE KEY`` computes.

A quantity is a function of an instance, registered under one or several key patterns::

    @quantity("mlbroker.offline[{semantics}]", semantics=("printed", "strict"))
    def offline(instance, semantics): ...                       # one value

    @quantity("eris.best_schedule[{i}]", i=lambda instance: range(len(instance.jobs)))
    def best_schedule(instance, i): ...                         # i arrives as int

    @quantity("mlbroker.recourse.total", "mlbroker.recourse.sync")
    def recourse(instance): return {"mlbroker.recourse.total": ..., ...}   # several keys, one work

The optimum of a program is the quantity of its name, with any variant in brackets::

    list_optima("mlbroker.relaxed[tight]")       # computed also where nobody asks for it by name

A certificate that a quantity returns stands for its bound, and `farkas show --write` keeps it.

One file a kind, found by the registry.  A quantity that is not defined for an instance raises
:class:`~farkas.errors.NotApplicable`, or leaves its key out of the mapping; its key is then absent.
``None`` is a value: it means what the kind says it means (infeasible, unbounded).
"""

from farkas.quantities.evaluate import Evaluation, evaluate, evaluate_all, find
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
