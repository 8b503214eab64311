"""Which certificates bound the runs of a kind; any other proves nothing about a run.

A run's file names the program whose optimum its certificate bounds.  That optimum bounds the run's
value only if every way to run is a point of the program, and at no better value.  Each kind lists
the certificates and programs of which this holds, beside its own certificate::

    run_bounds.add("dps", (RunBound("dps_prices", "dps.interval_lp[budget]"), ...))
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.certificates.files import Certificate
from farkas.certificates.guards import inside
from farkas.certificates.sums import ExactNumbers, residual
from farkas.errors import NotACertificate
from farkas.forms import SparseRows
from farkas.instances.mlbroker import FRACTIONAL
from farkas.messages import named
from farkas.numbers import Bools, Floats, Ints
from farkas.registry import Registry
from farkas.tolerances import TINY, ULP

Options = Mapping[str, Any]


def _every_run(options: Options, algorithm: str, decisions: Sequence[Any]) -> bool:
    return True


@dataclasses.dataclass(frozen=True, slots=True)
class RunBound:
    """A program whose optimum bounds runs."""

    certificate: str  #: Tag of the certificates that may prove the bound.
    program: str  #: Name with its whole variant, as certificates state it.
    #: Whether a run is bounded, from options and name of its algorithm and its decisions, as which
    #: a file may give anything; by default all are.
    holds_for: Callable[[Options, str, Sequence[Any]], bool] = _every_run


run_bounds: Registry[tuple[RunBound, ...]] = Registry(
    "list of what bounds runs", "farkas.certificates"
)


def bounds_run(
    certificate: Certificate, kind: str, options: Options, algorithm: str, decisions: Sequence[Any]
) -> bool:
    """Whether a certificate's program bounds a run; parameters as of `require_run_bound`."""
    try:
        require_run_bound(certificate, kind, options, algorithm, decisions)
    except NotACertificate:
        return False
    return True


def require_run_bound(
    certificate: Certificate, kind: str, options: Options, algorithm: str, decisions: Sequence[Any]
) -> None:
    """Refuse a certificate whose program does not bound a run of ``kind``.

    Parameters
    ----------
    certificate
        As read from the run.
    kind
        Kind of the instance.
    options, algorithm, decisions
        Of the run: options and name of its algorithm, and what that decided.

    Raises
    ------
    NotACertificate
        When the kind does not list certificate and program, or not for this run.
    """
    tag = str(type(certificate).__struct_config__.tag)
    listed = run_bounds.get(kind)
    if listed is None:
        raise NotACertificate(f"kind {kind} lists no program that bounds its runs")
    found = [one for one in listed if (one.certificate, one.program) == (tag, certificate.program)]
    if certificate.kind != kind or not found:
        raise NotACertificate(
            f"the certificate ({tag}) is about {certificate.program}, which is not listed among"
            f" what bounds the runs of kind {kind}"
        )
    if not found[0].holds_for(options, algorithm, decisions):
        raise NotACertificate(
            f"{certificate.program} does not bound runs of {named(algorithm)} with these options"
            " and decisions"
        )


def _relaxed(relax: str, semantics: str, options: Options, algorithm: str, _: object) -> bool:
    """Whether runs are points of a variant: fractional ones of the printed are not of the tight."""
    if semantics == "strict" and options.get("semantics") != "strict":
        return False  # printed semantics allow more than (8l), (8m) do
    return relax == "printed" or algorithm not in FRACTIONAL or options.get("relax") != "printed"


def _whole(options: Options, algorithm: str, _: object) -> bool:
    """Whether runs decide whole workers: they are paid for as strict semantics say, always."""
    return algorithm not in FRACTIONAL


run_bounds.add("mlbroker", (
    *(
        RunBound("mlbroker_run", f"mlbroker.relaxed[{r},{s}]", functools.partial(_relaxed, r, s))
        for r in ("printed", "tight") for s in ("printed", "strict")
    ),
    *(
        RunBound(tag, "mlbroker.offline[strict,choice,split]", _whole)
        for tag in ("mlbroker_slots", "mlbroker_sites")
    ),
))  # fmt: skip


# Reduced costs of large programs: exact where they count, else their signs by doubles.
#
# A bound needs the sign of every reduced cost, and its value only where the column end that it
# meets is not 0: few columns of a large program.  A double decides a sign where it is farther from
# 0 than all its roundings together can be.


def decided_costs(
    cost: Floats, matrix: SparseRows, multipliers: Floats, cheap: Floats, dear: Floats
) -> tuple[Floats, Ints, ExactNumbers]:
    """Signs of ``cost - A' multipliers``, and the numbers where a bound may need them.

    Parameters
    ----------
    cost, multipliers
        Shapes (columns,) and (rows,), finite.
    cheap, dear
        Shape (columns,): ends that a positive and a negative reduced cost meet.

    Returns
    -------
    Signs of all, exact: -1, 0 or 1, shape (columns,); the columns that count, ascending; and the
    reduced costs of these, exactly.
    """
    inside(matrix.columns, len(cost), "exact arithmetic")
    rows = matrix.rows
    used = (multipliers != 0)[rows]
    rows, columns, values = rows[used], matrix.columns[used], matrix.values[used]
    signs, sure = signs_by_doubles(cost, columns, values, multipliers[rows])
    asked = ~sure | (np.where(signs < 0, dear, cheap) != 0)
    at, place = np.flatnonzero(asked), np.cumsum(asked) - 1
    of = asked[columns]
    numbers = residual(cost[at], place[columns[of]], rows[of], values[of], multipliers)
    signs[at] = np.where(numbers.negative, -1.0, numbers.nonzero)
    return signs, at, numbers


def signs_by_doubles(
    cost: Floats, columns: Ints, values: Floats, factors: Floats
) -> tuple[Floats, Bools]:
    """Signs of ``cost[j]`` less the products of its entries, and which of them are sure.

    Of n products that are added up in any order and taken from the cost, every one has been rounded
    n + 1 times at most, by a share of ULP / 2, and the sum of the absolute values has, too: so
    (n + 4) ULP times that sum is more than all errors.  A product below 1e-290 may lose more than
    a share, but 2^31 of them less than 1e-290 in all.  What overflows is never sure.

    Parameters
    ----------
    cost
        Shape (columns,).
    columns, values, factors
        Shape (entries,): the column of each, what stands there, and by what it is multiplied, both
        not 0.

    Returns
    -------
    Shape (columns,), twice; without any entry a sign is that of the cost, and sure.
    """
    size = len(cost)
    count = np.bincount(columns, minlength=size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = values * factors
        near = cost - np.bincount(columns, products, size)
        most = np.abs(cost) + np.bincount(columns, np.abs(products), size)
        sure = (count == 0) | (np.abs(near) > (count + 4) * ULP * most + TINY)
        return np.sign(near), sure
