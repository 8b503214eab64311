"""Values of named quantities for one instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from farkas.errors import InvalidOption, NotApplicable, UnknownName
from farkas.quantities.names import find
from farkas.quantities.quantity import Quantity, Value, quantities


@dataclasses.dataclass(frozen=True, slots=True)
class Evaluation:
    """One key and what became of it: a value, or the error that stood in the way."""

    key: str
    value: Value = None
    error: Exception | None = None


def evaluate(instance: Any, keys: Iterable[str] | None = None) -> dict[str, Value]:
    """Values of ``keys``, or of `wanted_keys`; undefined ones are absent, other errors raised."""
    values: dict[str, Value] = {}
    for outcome in evaluate_all(instance, keys):
        if outcome.error is None:
            values[outcome.key] = outcome.value
        elif not isinstance(outcome.error, NotApplicable):
            raise outcome.error
    return values


def evaluate_all(instance: Any, keys: Iterable[str] | None = None) -> Iterator[Evaluation]:
    """Evaluate one key after the other; an error concerns its own key only."""
    asked = list(wanted_keys(instance) if keys is None else keys)
    if getattr(instance, "expected", None):  # nobody can look up an expected value
        instance = msgspec.structs.replace(instance, expected=None)
    admissible: dict[str, dict[str, dict[str, Any]]] = {}
    for key in dict.fromkeys(asked):
        try:
            item = find(key, instance.kind)
        except (UnknownName, InvalidOption) as error:
            yield Evaluation(key, error=error)
            continue
        if item.pattern not in admissible:
            admissible[item.pattern] = item.keys(instance)
        yield _evaluate_one(instance, key, item, admissible[item.pattern])


def _evaluate_one(
    instance: Any, key: str, item: Quantity, known: Mapping[str, dict[str, Any]]
) -> Evaluation:
    try:
        if key not in known:
            what = "no such argument" if known else "not defined"
            raise NotApplicable(f"{what} for this instance")
        return Evaluation(key, jsonable(item.function(instance, **known[key])))
    except NotApplicable as error:
        return Evaluation(key, error=NotApplicable(f"{key}: {error}"))
    except Exception as error:
        return Evaluation(key, error=error)


def jsonable(value: Any) -> Value:
    """Plain data of ``value``: numpy scalars and arrays become numbers and lists."""
    return msgspec.to_builtins(value, enc_hook=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    return float(value)  # Fraction, Decimal, gmpy2


def wanted_keys(instance: Any) -> list[str]:
    """Keys the instance's file lists as expected, or every key of a quantity of its kind."""
    if getattr(instance, "expected", None):
        return list(instance.expected)
    patterns = quantities.names(f"{instance.kind}.")
    return [key for pattern in patterns for key in quantities[pattern].keys(instance)]
