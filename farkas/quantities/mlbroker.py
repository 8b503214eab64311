"""Duals, fixed decisions and numbers of kind mlbroker, as named quantities."""

from __future__ import annotations

import math

import numpy as np

from farkas.duals.dualize import dualize
from farkas.errors import NotApplicable
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import PlacedWorkers
from farkas.online import algorithms
from farkas.online.mlbroker.environment import recourse_costs
from farkas.online.mlbroker.local import local_expected, local_total
from farkas.quantities.names import optimum
from farkas.quantities.quantity import quantity
from farkas.relaxations.mlbroker.relaxed import Relaxation


@quantity("mlbroker.dual[{relax}]", relax=("printed", "tight"))
def dual(instance: Brokerage, relax: str) -> float:
    """Optimum of the mechanically derived dual of the relaxation, USD."""
    return optimum(dualize(Relaxation(relax=relax).form(instance)).form)


@quantity("mlbroker.big_m_smallest")
def big_m_smallest(instance: Brokerage) -> float:
    """Smallest valid single constant of (8c), (8d), USD; M*."""
    return instance.smallest_big_m


@quantity("mlbroker.ratio_bound_printed")
def ratio_bound_printed(instance: Brokerage) -> float:
    """Competitive ratio that Theorem 3 claims; r₁ = 2 + (1 + ε) ln(1 + 1/ε)."""
    return 2 + (1 + instance.epsilon) * math.log1p(1 / instance.epsilon)


_PARTS = ("transfer", "resource", "deploy", "sync", "total", "total_sticky")


@quantity("mlbroker.recourse.{part}", part=_PARTS)
def recourse(instance: Brokerage, part: str) -> float:
    """Costs of the checkpoint decisions, data moved optimally, USD."""
    return float(np.sum(getattr(recourse_costs(PlacedWorkers.checkpoint(instance)), part)))


@quantity("mlbroker.local_first_site")
def local_first_site(instance: Brokerage) -> float:
    """Cost of baseline local with every server at site 0, USD."""
    return local_total(instance, [0] * instance.num_jobs)


@quantity("mlbroker.local_expected")
def local_mean(instance: Brokerage) -> float:
    """Mean cost of baseline local over all choices of one server site a job, USD."""
    return local_expected(instance)


@quantity("mlbroker.{baseline}", baseline=("oasis", "one_shot"))
def myopic(instance: Brokerage, baseline: str) -> float:
    """Cost of a baseline that decides slot by slot, USD, where ties hardly decide it."""
    if instance.seed is None:
        raise NotApplicable("instances made by hand are full of ties; it has no seed")
    if not (instance.worker_demand > 0).any(axis=1).all():
        raise NotApplicable("a job's workers demand nothing, so idle ones are free")
    return algorithms[f"mlbroker.{baseline}"].run(instance).value
