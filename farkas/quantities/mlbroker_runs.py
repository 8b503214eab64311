"""Runs of kind mlbroker as named quantities."""

import math

from farkas.errors import NotApplicable
from farkas.instances.mlbroker import Brokerage
from farkas.online import algorithms
from farkas.online.mlbroker.local import local_expected, local_total
from farkas.portable.sums import added
from farkas.quantities.quantity import quantity
from farkas.tolerances import SIMPLEX

_RUN = ("cost", "moving", "certificate", "certificate_rebuilt")


@quantity(*(f"mlbroker.fractional[{{relax}}].{part}" for part in _RUN), relax=("printed", "tight"))
def fractional(instance: Brokerage, relax: str) -> dict[str, float]:
    """Cost of Algorithm 1, its deployment part, and two forms of the bound it proves, USD.

    ``certificate`` is the closed form at exact slot optima, ``certificate_rebuilt`` what the dual
    point of the run proves.
    """
    run = algorithms["mlbroker.fractional"].run(instance, relax=relax)
    if run.certificate is None:
        raise NotApplicable("the run proves no bound")
    values = {
        "cost": run.value,
        "moving": run.numbers["moving"],
        "certificate": run.numbers["certificate"],
        "certificate_rebuilt": float(run.certificate),
    }
    return {f"mlbroker.fractional[{relax}].{part}": values[part] for part in _RUN}


@quantity("mlbroker.central", "mlbroker.central.deploy")
def central(instance: Brokerage) -> dict[str, float]:
    """Cost of baseline central, and its deployment part, USD."""
    run = algorithms["mlbroker.central"].run(instance)
    deploy = added(slot["deploy"] for slot in run.costs)
    return {"mlbroker.central": run.value, "mlbroker.central.deploy": deploy}


@quantity("mlbroker.local_first_site")
def local_first_site(instance: Brokerage) -> float:
    """Cost of baseline local with every server at site 0, USD."""
    return local_total(instance, [0] * instance.num_jobs)


@quantity("mlbroker.local_expected")
def local_mean(instance: Brokerage) -> float:
    """Mean cost of baseline local over all choices of one server site a job, USD."""
    return local_expected(instance)


@quantity("mlbroker.oasis")
def oasis(instance: Brokerage) -> float:
    """Cost of baseline oasis, USD, where ties do not decide it."""
    return _untied(instance, "mlbroker.oasis", ("list", "single"))


@quantity("mlbroker.one_shot")
def one_shot(instance: Brokerage) -> float:
    """Cost of baseline one_shot, USD, where ties do not decide it."""
    return _untied(instance, "mlbroker.one_shot", ("choice", "single"))


def _untied(instance: Brokerage, name: str, prices: tuple[str, str]) -> float:
    """Value of a myopic baseline on which two formulations agree."""
    if instance.seed is None:
        raise NotApplicable("instances made by hand are full of ties; it has no seed")
    if not (instance.worker_demand > 0).any(axis=1).all():
        raise NotApplicable("a job's workers demand nothing, so idle ones are free")
    value, other = (algorithms[name].run(instance, prices=form).value for form in prices)
    if not math.isclose(value, other, rel_tol=SIMPLEX):
        raise NotApplicable(f"ties decide: {value:.9g} or {other:.9g}")
    return value
