"""What sums and index sets ask of whoever reads a rule; a type alone."""

from typing import Any, Protocol


class Reader(Protocol):
    """What ``Sum``, ``Between``, ``Product`` and index sets ask of whoever reads the rule.

    ``draining`` is True while a sum makes sure that its loops have no second round.
    """

    draining: bool

    def sum(self, terms: Any) -> Any:
        """Sum a generator expression over index sets."""

    def between(self, low: Any, body: Any, high: Any) -> Any:
        """Relation ``low <= body <= high``."""

    def product(self, terms: Any) -> Any:
        """Multiply a generator expression over index sets."""

    def exp(self, power: Any) -> Any:
        """Raise e to ``power``."""

    def where(self, condition: Any, value: Any) -> Any:
        """``value`` where ``condition`` holds, else 0."""

    def enter(self, index_set: Any) -> Any:
        """Index (or tuple of indices) that stands for every member of ``index_set``."""
