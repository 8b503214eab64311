"""Values of named quantities for one instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from farkas.algebra import programs
from farkas.certificates.doubles import double
from farkas.certificates.prices import PriceCertificate
from farkas.errors import FarkasError, InvalidOption, NotApplicable, UnknownName
from farkas.quantities.optimum import of_program
from farkas.quantities.quantity import Quantity, Value, quantities


@dataclasses.dataclass(frozen=True, slots=True)
class Evaluation:
    """One key and what became of it: a value, or the error that stood in the way.

    ``certificate`` proves the value where that is a proved bound.
    """

    key: str
    value: Value = None
    error: Exception | None = None
    certificate: PriceCertificate | None = None


def find(key: str, kind: str) -> Quantity:
    """Quantity of ``kind`` that answers ``key``: a named one, or the optimum of a program.

    Raises
    ------
    UnknownName
        When none does; names the nearest patterns.
    InvalidOption
        When ``key`` is a program with a variant that it does not have.
    """
    patterns = quantities.names(f"{kind}.")
    for pattern in patterns:
        if quantities[pattern].matches(key):
            return quantities[pattern]
    stem = key.partition("[")[0]
    if stem.startswith(f"{kind}.") and stem in programs:
        return of_program(key)
    raise UnknownName.of(f"{kind} quantity", key, [*patterns, *programs.names(f"{kind}.")])


def evaluate(instance: Any, keys: Iterable[str] | None = None) -> dict[str, Value]:
    """Values of ``keys`` for ``instance``; undefined keys are absent.

    Parameters
    ----------
    instance
        Instance of any kind.
    keys
        Names of quantities; by default those listed under "expected" in the instance's file, or
        every quantity of the kind when the file lists none.

    Raises
    ------
    UnknownName, InvalidOption
        When a key belongs to no quantity of the kind.
    """
    values: dict[str, Value] = {}
    for outcome in evaluate_all(instance, keys):
        if outcome.error is None:
            values[outcome.key] = outcome.value
        elif not isinstance(outcome.error, NotApplicable):
            raise outcome.error
    return values


def evaluate_all(instance: Any, keys: Iterable[str] | None = None) -> Iterator[Evaluation]:
    """Evaluate one key after the other; an error concerns its own key only."""
    blind = _without_expected(instance)
    asked = list(wanted_keys(instance) if keys is None else keys)
    admissible: dict[int, dict[str, dict[str, Any]]] = {}
    results: dict[tuple[int, str], Value | Exception] = {}
    for key in dict.fromkeys(asked):
        try:
            item = find(key, instance.kind)
        except (UnknownName, InvalidOption) as error:
            yield Evaluation(key, error=error)
            continue
        known = admissible.setdefault(id(item), item.keys(blind))
        yield _evaluate_one(blind, key, item, known, results)


def _evaluate_one(
    instance: Any,
    key: str,
    item: Quantity,
    known: Mapping[str, dict[str, Any]],
    results: dict[tuple[int, str], Value | Exception],
) -> Evaluation:
    if key not in known:
        reason = "no such argument for this instance"
        if not item.placeholders or not known:
            reason = "not defined for this instance"
        return Evaluation(key, error=NotApplicable(f"{key}: {reason}"))
    call = (id(item), repr(known[key]))
    if call not in results:  # several keys may share one computation
        try:
            results[call] = item.function(instance, **known[key])
        except Exception as error:
            results[call] = error
    result = results[call]
    if isinstance(result, NotApplicable):
        return Evaluation(key, error=NotApplicable(f"{key}: {result}"))
    if isinstance(result, Exception):
        return Evaluation(key, error=result)
    if len(item.patterns) > 1:
        if key not in result:
            return Evaluation(key, error=NotApplicable(f"{key}: not defined for this instance"))
        result = result[key]
    if isinstance(result, PriceCertificate) and result.bound is not None:
        bound = double(Fraction(result.bound), up=result.bounds == "max")
        return Evaluation(key, bound, certificate=result)
    try:
        return Evaluation(key, jsonable(result))
    except FarkasError as error:
        return Evaluation(key, error=error)


def jsonable(value: Any) -> Value:
    """Plain data of ``value``: numpy scalars and arrays become numbers and lists."""
    return msgspec.to_builtins(value, enc_hook=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    return float(value)  # Fraction, Decimal, gmpy2


def wanted_keys(instance: Any) -> list[str]:
    """Keys the instance's file lists as expected, or every key defined for it."""
    expected = getattr(instance, "expected", None)
    if expected:
        return list(expected)
    keys: dict[str, None] = {}
    for pattern in quantities.names(f"{instance.kind}."):
        keys.update(dict.fromkeys(quantities[pattern].keys(instance)))
    return list(keys)


def _without_expected(instance: Any) -> Any:
    """Return the instance as its quantities see it: nobody can look up an expected value."""
    if getattr(instance, "expected", None):
        return msgspec.structs.replace(instance, expected=None)
    return instance
