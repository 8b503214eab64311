"""Registration of quantities under patterns of keys."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from farkas.registry import Registry

Value = Any  #: What JSON can hold: number, string, boolean, None, list or object of these.

Domain = Iterable[Any] | Callable[[Any], Iterable[Any]]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclasses.dataclass(frozen=True, slots=True)
class Quantity:
    """A function with the pattern of the keys that it answers."""

    pattern: str  #: a key with placeholders, for example eris.one_shot[{i},{t},{d}]
    function: Callable[..., Value]  #: of the instance and one argument a placeholder
    # admissible values by placeholder, or by several joined with __: any, or a function of the
    # instance
    domains: Mapping[str, Domain]
    doc: str  #: what the value is

    @property
    def kind(self) -> str:
        return self.pattern.partition(".")[0]

    def arguments(self, instance: Any) -> Iterator[dict[str, Any]]:
        """Every admissible choice of the placeholders for ``instance``."""
        groups = [
            [dict(zip(names.split("__"), value if "__" in names else (value,), strict=True))
             for value in (values(instance) if callable(values) else values)]
            for names, values in self.domains.items()
        ]  # fmt: skip
        for choice in itertools.product(*groups):
            yield {name: value for part in choice for name, value in part.items()}

    def keys(self, instance: Any) -> dict[str, dict[str, Any]]:
        """Every key for ``instance`` with its arguments, in order."""
        return {self.pattern.format(**chosen): chosen for chosen in self.arguments(instance)}

    def matches(self, key: str) -> bool:
        """Whether ``key`` has the shape of the pattern; arguments may not be admissible."""
        parts = _PLACEHOLDER.split(self.pattern)
        shape = [self._shape(p) if i % 2 else re.escape(p) for i, p in enumerate(parts)]
        return re.fullmatch("".join(shape), key) is not None

    def _shape(self, placeholder: str) -> str:
        values = self.domains.get(placeholder, str)
        if callable(values):  # they depend on the instance
            return r"[^\[\]]+"
        return f"({'|'.join(re.escape(str(value)) for value in values)})"


quantities: Registry[Quantity] = Registry("quantity", "farkas.quantities")


def quantity(pattern: str, **domains: Domain) -> Callable[[Callable[..., Value]], Any]:
    """Register the decorated function under a pattern of keys.

    ``domains`` are, by placeholder, its admissible values.  Placeholders that depend on each other
    share one entry named by their names joined with ``__``: ``i__t=lambda instance: [(0, 1),
    ...]``.  Raises `ValueError` when placeholders, domains and the function's arguments do not
    agree.
    """
    given = sorted(name for names in domains for name in names.split("__"))

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        doc = inspect.getdoc(function) or ""
        if not doc:
            raise ValueError(f"quantity {pattern!r} needs a docstring")
        taken = list(inspect.signature(function).parameters)[1:]
        found = _PLACEHOLDER.findall(pattern)
        if not sorted(found) == sorted(taken) == given:
            raise ValueError(
                f"{pattern!r} has placeholders {found}, the function takes {taken}, "
                f"domains are given for {given}"
            )
        quantities.add(pattern, Quantity(pattern, function, domains, doc))
        return function

    return register
