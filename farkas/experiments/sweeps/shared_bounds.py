"""One bound an instance: runs of a store held against what a search for its optimum has proved."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping
from fractions import Fraction

import msgspec

from farkas.certificates.files import Certificate, from_json
from farkas.certificates.packed import rational
from farkas.certificates.ratio import ratio_at_most
from farkas.certificates.runs import bounds_run
from farkas.errors import FarkasError, NotACertificate
from farkas.experiments.sweeps.store import Result, Store
from farkas.words import named

CONTRADICTED = "rejected: better than the bound of result"
"""How what is wrong with a run, or with the search that it beats, begins."""


@dataclasses.dataclass(frozen=True, slots=True)
class SharedBound:
    """A bound on the decisions of one problem of an instance.

    Parameters
    ----------
    key
        Address of the result that tells of it.
    exact
        The bound.
    text
        The same, as results say it.
    certificate
        What it is proved from.
    """

    key: str
    exact: Fraction
    text: str
    certificate: Certificate


def shared_bounds(
    store: Store, objections: Iterable[str] = (), among: Container[str] | None = None
) -> dict[str, list[SharedBound]]:
    """Return, by instance, the bounds that searches for optima have left in a store.

    Parameters
    ----------
    objections
        Addresses of results that were found wrong since they were stored.
    among
        Addresses of the results that count; all if left out.
    """
    wrong = set(objections)
    found: dict[str, list[SharedBound]] = {}
    for result in store.results():
        task = result.task
        if task.what != "optimum" or result.status != "done" or not result.bound:
            continue
        if among is not None and result.key not in among:
            continue
        if result.key in wrong or result.recheck.startswith("rejected"):
            continue
        plain = ((store.output(result.key) or {}).get("certificate") or {}).get("certificate")
        try:
            certificate = from_json(msgspec.json.encode(plain), "certificate of a bound")
            exact = rational(result.bound, "bound")
        except FarkasError:
            continue  # what cannot be read bounds nothing
        bound = SharedBound(result.key, exact, result.bound, certificate)
        found.setdefault(task.instance, []).append(bound)
    return found


def held(result: Result, known: Mapping[str, list[SharedBound]]) -> Result:
    """Hold a run with a bound of its own against the tightest that its instance owns.

    Parameters
    ----------
    result
        With the whole run as its output.
    known
        See `shared_bounds`.

    Returns
    -------
    The result with bound and ratio in place of its own, or itself where its own is as tight.
    One that is better than such a bound is marked as rejected: one of the two is wrong.
    """
    bounds, output = known.get(result.task.instance), result.output
    if result.task.what != "run" or not bounds or not output or not result.bound:
        return result
    if result.value is None or output.get("violations"):
        return result
    sense, own = output["sense"], rational(result.bound, "bound")
    best = max if sense == "min" else min
    task, decisions = result.task, output.get("decisions") or []
    holding = [
        one
        for one in bounds
        if bounds_run(one.certificate, task.kind, task.options, task.name, decisions)
    ]
    tight = best(holding, key=lambda one: one.exact, default=None)
    if tight is None or best(tight.exact, own) == own:
        return result
    try:
        ratio = ratio_at_most(sense, result.value, tight.exact, exact=False)
    except NotACertificate as error:
        words = f"{CONTRADICTED} {named(tight.key[:12])}: {error}"
        return msgspec.structs.replace(result, recheck=words)
    return msgspec.structs.replace(result, bound=tight.text, ratio=ratio)
