"""Registration of quantities under key patterns."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from farkas.registry import Registry

Value = Any
"""What JSON can hold: number, string, boolean, None, list or object of these."""

Domain = Iterable[Any] | Callable[[Any], Iterable[Any]]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclasses.dataclass(frozen=True, slots=True)
class Quantity:
    """A function with the key patterns it answers.

    Parameters
    ----------
    patterns
        Keys with placeholders, for example ``eris.one_shot[{i},{t},{d}]``.
    function
        Called with the instance and one argument per placeholder.
    domains
        Admissible values per placeholder (or per tuple of placeholders, joined with ``,``): an
        iterable, or a function of the instance.
    doc
        What the value is.
    """

    patterns: tuple[str, ...]
    function: Callable[..., Value]
    domains: Mapping[str, Domain]
    doc: str

    @property
    def kind(self) -> str:
        return self.patterns[0].partition(".")[0]

    @property
    def placeholders(self) -> list[str]:
        return _PLACEHOLDER.findall(self.patterns[0])

    def arguments(self, instance: Any) -> Iterator[dict[str, Any]]:
        """Every admissible choice of the placeholders for ``instance``."""
        groups = [
            (names.split(","), values(instance) if callable(values) else values)
            for names, values in self.domains.items()
        ]
        for choice in itertools.product(*(list(values) for _, values in groups)):
            chosen: dict[str, Any] = {}
            for (names, _), value in zip(groups, choice, strict=True):
                chosen.update(zip(names, value if len(names) > 1 else (value,), strict=True))
            yield chosen

    def keys(self, instance: Any) -> dict[str, dict[str, Any]]:
        """Every key for ``instance`` with its arguments, in order."""
        return {
            pattern.format(**chosen): chosen
            for chosen in self.arguments(instance)
            for pattern in self.patterns
        }

    def matches(self, key: str) -> bool:
        """Whether ``key`` has the shape of one of the patterns; arguments may not be admissible."""
        return any(_shape(pattern, self.domains).fullmatch(key) for pattern in self.patterns)


def _shape(pattern: str, domains: Mapping[str, Domain]) -> re.Pattern[str]:
    def written(name: str) -> str:
        values = domains.get(name, str)
        if callable(values):  # they depend on the instance
            return r"[^\[\]]+"
        return f"({'|'.join(re.escape(str(value)) for value in values)})"

    parts = _PLACEHOLDER.split(pattern)
    return re.compile("".join(written(p) if i % 2 else re.escape(p) for i, p in enumerate(parts)))


quantities: Registry[Quantity] = Registry("quantity", "farkas.quantities")


def quantity(*patterns: str, **domains: Domain) -> Callable[[Callable[..., Value]], Any]:
    """Register the decorated function under ``patterns``.

    Parameters
    ----------
    patterns
        Keys; with several, the function returns a mapping from key to value.  All carry the same
        placeholders.
    domains
        Per placeholder its admissible values.  Placeholders that depend on each other share one
        entry named by their names joined with ``__``: ``i__t=lambda instance: [(0, 1), ...]``.

    Raises
    ------
    ValueError
        When placeholders, domains and the function's arguments do not agree.
    """
    if not patterns:
        raise ValueError("a quantity needs a key")
    grouped = {name.replace("__", ","): values for name, values in domains.items()}
    named = sorted(name for group in grouped for name in group.split(","))

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        doc = inspect.getdoc(function) or ""
        if not doc:
            raise ValueError(f"quantity {patterns[0]!r} needs a docstring")
        expected = list(inspect.signature(function).parameters)[1:]
        for pattern in patterns:
            found = _PLACEHOLDER.findall(pattern)
            if not sorted(found) == sorted(expected) == named:
                raise ValueError(
                    f"{pattern!r} has placeholders {found}, the function takes {expected}, "
                    f"domains are given for {named}"
                )
        item = Quantity(patterns, function, grouped, doc)
        for pattern in patterns:
            quantities.add(pattern, item)
        return function

    return register
