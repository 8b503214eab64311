"""Markets of mlBroker: data of a job from its arrival to its departure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from farkas.adversary.shape import KindShape, Plain, shapes, without

BY_SITE = ("base_price", "discount_price", "discount_threshold", "transfer_price")


def mend(data: Plain) -> None:
    """Let jobs depart after they arrive, with data in every slot between; discounts lower prices.

    Moving nothing is free.
    """
    for site, row in enumerate(data["transfer_price"]):
        row[site] = 0.0
    for listed, reduced in zip(data["base_price"], data["discount_price"] or (), strict=False):
        reduced[:] = [
            low if low is None else min(low, price)
            for price, low in zip(listed, reduced, strict=True)
        ]
    for job in data["jobs"]:
        job["departure"] = min(max(job["arrival"], job["departure"]), data["num_slots"] - 1)
        job["arrival"] = min(job["arrival"], job["departure"])
        length = job["departure"] - job["arrival"] + 1
        job["data"] += [list(job["data"][-1]) for _ in range(length - len(job["data"]))]
        del job["data"][length:]


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a job, a site, a resource, or the last slot."""
    for job in range(len(data["jobs"])):
        yield without(data, job, ("jobs",))
    for site in range(data["num_sites"] if data["num_sites"] > 1 else 0):
        yield without(
            data, site, *((name,) for name in BY_SITE), ("transfer_price", "*"),
            ("jobs", "*", "data", "*"), count="num_sites",
        )  # fmt: skip
    for resource in range(data["num_resources"] if data["num_resources"] > 1 else 0):
        yield without(
            data, resource, *((name, "*") for name in BY_SITE[:3]),
            ("jobs", "*", "worker_demand"), ("jobs", "*", "server_demand"),
            count="num_resources",
        )  # fmt: skip
    if data["num_slots"] > 1:
        yield without(data, -1, count="num_slots")


shapes.add(
    "mlbroker",
    KindShape(
        sizes={"jobs": "num_jobs", "sites": "num_sites", "slots": "num_slots"},
        smallest={"num_jobs": 3, "num_sites": 3, "num_slots": 6},
        mend=mend,
        smaller=smaller,
        counted=("jobs", "num_sites", "num_slots"),
        witnesses=("mlbroker.central", "mlbroker.local"),
    ),
)


# The regularised slot (10) of mlBroker in closed form: one job whose data lie at one site.
#
# Where only moving data and deploying the job cost anything, shares y of its workers decide a slot
# of the tight relaxation: servers follow the workers, as nothing keeps them elsewhere, and (8g)
# asks for v >= y.  Left is
#
#     min Σ a y + (c/σ) Σ [(v+ε) ln((v+ε)/(p+ε)) − v + p],   v = max(p, y),  Σ y = 1,  y >= 0
#
# with a what it costs to have all data at a site, and p the deployment one slot before.  At a
# multiplier λ of Σ y = 1 a site that costs more than λ gets nothing; one that costs λ takes up to
# p, which is deployed already; and one that costs less rises to y + ε = (p+ε) exp(σ (λ−a)/c), the
# derivative of the entropy term being (c/σ) ln((v+ε)/(p+ε)).  So sites fill in the order of their
# costs, and e^(σλ/c) is a quotient: beside the weights e^(−σa/c), which a trace has once and for
# all, nothing but sums, products and quotients is needed.
#
# λ never exceeds c, as the data's own site costs nothing and (p+ε) (1+1/ε) >= 1 + ε there: a site
# that costs c or more gets nothing new, whatever it costs.


Number = TypeVar("Number", float, Fraction)


@dataclasses.dataclass(frozen=True, slots=True)
class Filled(Generic[Number]):
    """A slot's decision, in units of the deployment cost c."""

    deployed: list[Number]  #: By site, v in [0, 1].
    static: Number  #: Σ a y.
    moving: Number  #: Σ (v − p).


def filled(
    before: Sequence[Number],
    tolls: Sequence[Number],
    weights: Sequence[Number],
    order: Sequence[int],
    epsilon: Number,
) -> Filled[Number]:
    """Solve a slot: fill sites in the order of their tolls until the shares add up to 1.

    Doubles in, doubles out; with fractions the solution is exact.

    Parameters
    ----------
    before
        By site, v(t−1) in [0, 1]; p.
    tolls
        By site, >= 0, in units of c; a / c.  One of them is 0.
    weights
        By site, e^(−σ a / c); 0 where nothing may run.
    order
        Sites by growing toll.
    epsilon
        > 0; ε.
    """
    total, count, last = epsilon * 0, 0, -1
    part = total
    for site in order:
        weight = weights[site]
        if not weight:
            break
        # what sites so far take once the multiplier has reached this one's toll
        missing = 1 - (total / weight - count * epsilon)
        if missing <= 0:
            break
        if before[site] >= missing:
            last, part = site, missing
            break
        total += (before[site] + epsilon) * weight
        count += 1
    level = 1 / weights[last] if last >= 0 else (1 + count * epsilon) / total
    deployed, static, moving = list(before), tolls[last] * part, total * 0
    for site in order[:count]:
        share = (before[site] + epsilon) * weights[site] * level - epsilon
        static += tolls[site] * share
        if share > before[site]:
            moving += share - before[site]
            deployed[site] = share
    return Filled(deployed, static, moving)
