"""Bounds from runs of a broker: a dual point of (9) in closed form.  mlBroker section 4.2.

A guide, that is a few multipliers of each slot, is completed to a dual point of the relaxation in
floating point whose every step is rounded so that the constraints hold exactly; then its objective
is summed without rounding.  So *any* guide proves a bound, and a good one a good bound.

Multipliers: α (8a), β (8b), θ (8c), ρ (8d), ξ (8e), γ (8f), φ (8g), μ (8h), ψ (8i), η (8j),
ω (8l), κ (8m).  With worker price π^y = Σ n price + φ^y − ω and
server price π^s = Σ m price + φ^s − ω, the dual constraints of a pair (job, slot) are

    moved:      β^o ≤ α^r + d^{or}                    workers:  P α^r ≤ π^{y,r} + ψ^r
    connected:  ψ^r + η^p ≤ d^{rp} B + κ^{rp}         server:   γ ≤ π^{s,p} + Y η^p − Ȳ Σ_r κ^{rp}
    deployed:   Ȳ φ^y + φ^s − ω ≤ μ(t) − μ(t+1)       started:  0 ≤ μ ≤ c

with ω = κ = 0 under printed semantics, and U φ in place of Ȳ φ^y + φ^s in printed mode, where also
price = a θ + b ρ, θ + ρ ≤ 1 and ξ = −M max(θ, ρ); in tight mode price is the chord's slope.

Strict semantics (not in the paper).  ω is raised to μ(t+1) − μ(t) where deployment falls, so that
φ >= 0 always fits; ψ is free but for π^y + ψ >= 0; κ pays for what ψ + η exceeds.  Every
constraint above then holds by construction, and the remaining ones, α, φ, ω, κ, η >= 0, by
clipping: this is the proof that any guide is valid.

It needs that no step overflows.  One that does leaves infinity, which the next outward rounding
turns into what is no number, and that survives every later step; a guide whose completion holds one
such entry is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from fractions import Fraction
from typing import Literal

import numpy as np

from farkas.certificates.encoding import pack, unpack
from farkas.certificates.files import certificate_type
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.run_bound import Options, RunBound, run_bounds
from farkas.certificates.sums import exact_dot, finite
from farkas.errors import NotACertificate
from farkas.instances.mlbroker import FRACTIONAL, Brokerage, Semantics
from farkas.numbers import Floats
from farkas.tolerances import OUTWARD, TINY, ULP

Relax = Literal["printed", "tight"]


def down(values: Floats, roundings: int = 1) -> Floats:
    """Lower bound on the exact result of operations of which ``values`` is the rounded one.

    All but the last are on numbers of one sign, and none of these is below 1e-290 unless it is
    exact or positive. Infinity gives what is no number.
    """
    lower = values - np.abs(values) * ((roundings + 1) * ULP)
    return np.where((lower > 0) & (lower < TINY), 0.0, lower)


def up(values: Floats, roundings: int = 1) -> Floats:
    """Upper bound, see `down`."""
    return -down(-values, roundings)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guide:
    """Multipliers from which a dual point is completed; any finite numbers will do."""

    move: Floats  #: Shape (pairs, sites), USD; μ.
    #: Shape (jobs, sites), USD; μ in the slot after departure, which only weakens the bound.
    leave: Floats
    server: Floats  #: Shape (pairs, sites), USD per worker; η.
    presence: Floats  #: Shape (pairs, sites), USD; φ^s of tight mode.
    #: worker, absence: shape (pairs, sites); ψ in USD per worker and ω in USD, of strict semantics
    #: only.
    worker: Floats
    absence: Floats
    #: list_share, reduced_share: shape (slots, sites, resources); θ and ρ, of printed mode only.
    list_share: Floats
    reduced_share: Floats

    @classmethod
    def shapes(cls, data: Brokerage) -> dict[str, tuple[int, ...]]:
        """Shape of every field for an instance, in order."""
        pairs = (data.num_pairs, data.num_sites)
        table = (data.num_slots, data.num_sites, data.num_resources)
        return {
            "move": pairs,
            "leave": (data.num_jobs, data.num_sites),
            "server": pairs,
            "presence": pairs,
            "worker": pairs,
            "absence": pairs,
            "list_share": table,
            "reduced_share": table,
        }

    @classmethod
    def zeros(cls, data: Brokerage) -> Guide:
        """Guide without any knowledge."""
        return cls(**{name: np.zeros(shape) for name, shape in cls.shapes(data).items()})

    def check(self, data: Brokerage) -> None:
        """Raise `NotACertificate` unless shapes fit and numbers are finite."""
        for name, shape in self.shapes(data).items():
            values = getattr(self, name)
            if values.shape != shape:
                raise NotACertificate(f"{name} has shape {values.shape}, needed {shape}")
            if not np.isfinite(values).all():
                raise NotACertificate(f"{name} holds a number that is not finite")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DualPoint:
    """A point that satisfies every constraint of the dual exactly; symbols as above."""

    alpha: Floats  #: Shape (pairs, sites).
    beta: Floats  #: Shape (pairs, sites).
    gamma: Floats  #: Shape (pairs,).
    theta: Floats  #: Shape (slots, sites, resources).
    rho: Floats  #: Shape (slots, sites, resources).
    xi: Floats  #: Shape (slots, sites, resources).
    phi_worker: Floats  #: Shape (pairs, sites).
    phi_server: Floats  #: Shape (pairs, sites).
    mu: Floats  #: Shape (pairs, sites).
    psi: Floats  #: Shape (pairs, sites).
    eta: Floats  #: Shape (pairs, sites).
    omega: Floats  #: Shape (pairs, sites).
    kappa: Floats  #: Shape (pairs, sites, sites), worker's site first.
    #: Objective, USD, slot by slot: what is proved of the instance that ends with a slot is their
    #: sum up to it, since the multiplier of (8h) in the slot after is one after departure there.
    by_slot: tuple[Fraction, ...]

    @property
    def bound(self) -> Fraction:
        """Lower bound on the relaxation and on every run, USD."""
        return sum(self.by_slot, Fraction(0))


def complete(data: Brokerage, guide: Guide, relax: Relax, semantics: Semantics) -> DualPoint:
    """Complete a guide, any finite multipliers, to a dual point of ``mlbroker.relaxed``.

    Raises `NotACertificate` when shapes do not fit, numbers are not finite, or a step overflows.
    """
    guide.check(data)
    with np.errstate(over="ignore", invalid="ignore"):  # found below
        steps = _steps(data, guide, relax, semantics)
    for name, values in steps.items():
        finite(values, name)
    by_slot = _by_slot(data, *(steps[name] for name in ("beta", "gamma", "rho", "xi")))
    return DualPoint(**{name: steps[name] for name in _MULTIPLIERS}, by_slot=by_slot)


_MULTIPLIERS = [field.name for field in dataclasses.fields(DualPoint) if field.name != "by_slot"]


def _steps(data: Brokerage, guide: Guide, relax: Relax, semantics: Semantics) -> dict[str, Floats]:
    """Multipliers of the completed guide, and the numbers between."""
    theta, rho, xi = _shares(data, guide, relax, semantics)
    price = _unit_price(data, theta, rho, relax, semantics)
    jobs = data.pair_job
    most = data.most_workers(semantics)[:, None].astype(float)
    needed = data.workers_needed[:, None].astype(float)
    strict = semantics == "strict"
    mu, drop = _moves(data, guide, strict)
    rise = np.maximum(guide.absence, up(-drop)) if strict else np.zeros_like(drop)
    omega = np.maximum(rise, 0.0)
    phi_worker, phi_server = _presence(data, guide, down(drop + omega), most, relax, semantics)
    worker = down(_demand(price, data.worker_demand[jobs]) + phi_worker)
    server = down(_demand(price, data.server_demand[jobs]) + phi_server)
    if strict:
        worker, server = down(worker - omega), down(server - omega)
    psi, eta, kappa, paid = _connections(data, guide, worker, most, strict)
    alpha = np.maximum(down(down(worker + psi) / data.worker_capacity[jobs][:, None]), 0.0)
    beta = down(alpha[:, None, :] + data.transfer).min(axis=2)
    gamma = down(down(server + down(needed * eta)) - paid).min(axis=1)
    return dict(
        theta=theta, rho=rho, xi=xi, price=price, mu=mu, drop=drop, omega=omega,
        phi_worker=phi_worker, phi_server=phi_server, worker=worker, server=server, psi=psi,
        eta=eta, kappa=kappa, paid=paid, alpha=alpha, beta=beta, gamma=gamma,
    )  # fmt: skip


def _by_slot(
    data: Brokerage, beta: Floats, gamma: Floats, rho: Floats, xi: Floats
) -> tuple[Fraction, ...]:
    """Dual objective of multipliers that satisfy every constraint, by slot, without rounding."""
    surcharge = down(data.surcharge, 2).ravel()
    terms = []
    for slot in range(data.num_slots):
        pairs = data.pairs_at(slot)
        terms.append(
            exact_dot(data.trained_volume[pairs].ravel(), beta[pairs].ravel())
            + exact_dot(np.ones(len(pairs)), gamma[pairs])
            + exact_dot(surcharge, rho[slot].ravel())
            + exact_dot(np.ones(xi[slot].size), xi[slot].ravel())
        )
    return tuple(terms)


def _shares(
    data: Brokerage, guide: Guide, relax: Relax, semantics: Semantics
) -> tuple[Floats, Floats, Floats]:
    """Return θ, ρ and ξ: zero in tight mode and in slots without jobs."""
    busy = np.zeros((data.num_slots, 1, 1))
    busy[data.pair_slot] = 1.0 if relax == "printed" else 0.0
    theta = busy * np.clip(guide.list_share, 0.0, 1.0)
    rho = busy * np.clip(guide.reduced_share, 0.0, down(1.0 - theta))
    big_m = data.valid_big_m(semantics)
    most = np.maximum(theta, rho)
    # a positive product must not vanish
    least = np.where((most > 0) & (big_m > 0), TINY, 0.0)
    return theta, rho, -np.maximum(up(big_m * most), least)


def _unit_price(
    data: Brokerage, theta: Floats, rho: Floats, relax: Relax, semantics: Semantics
) -> Floats:
    """Lower bound on the price of a unit, shape (pairs, sites, resources)."""
    if relax == "printed":
        price = down(data.list_price * theta + data.reduced_price * rho, 3)
    else:
        # The slope is F(H)/H with H a sum over the jobs of the slot.
        price = down(data.chord_slope(semantics), data.num_jobs + 16)
    return price[data.pair_slot]


def _demand(price: Floats, units: Floats) -> Floats:
    """Lower bound on the price of a worker or server, shape (pairs, sites)."""
    total: Floats = (price * units[:, None, :]).sum(axis=2)
    return down(total, price.shape[2] + 1)


def _moves(data: Brokerage, guide: Guide, strict: bool) -> tuple[Floats, Floats]:
    """Return μ and a lower bound on μ(t) − μ(t+1), >= 0 unless deployment may fall (strict)."""
    most = data.deploy_cost[:, None]
    mu = np.clip(guide.move, 0.0, most[data.pair_job])
    if not strict:
        for pair in np.flatnonzero(data.previous_pair >= 0):
            np.minimum(mu[pair], mu[pair - 1], out=mu[pair])
    after = np.clip(guide.leave, 0.0, most)[data.pair_job]
    stays = data.next_pair >= 0
    after[stays] = mu[data.next_pair[stays]]
    if not strict:
        after = np.minimum(after, mu)
    return mu, down(mu - after)


def _presence(
    data: Brokerage, guide: Guide, room: Floats, most: Floats, relax: Relax, semantics: Semantics
) -> tuple[Floats, Floats]:
    """Share ``room`` >= 0 between workers and server, as the form of (8g) allows."""
    if relax == "printed":
        both = down(room / data.deployment_bound(semantics))
        return both, both
    server = np.where(most > 0, np.clip(guide.presence, 0.0, room), room)
    worker = np.zeros_like(room)
    np.divide(down(room - server), most, out=worker, where=most > 0)
    return np.maximum(down(worker), 0.0), server


def _connections(
    data: Brokerage, guide: Guide, worker: Floats, most: Floats, strict: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return ψ, η, κ and an upper bound on Ȳ Σ κ; ``worker`` is π^y."""
    sync = down(data.sync_volume[data.pair_job][:, None, None] * data.transfer)
    # away from the edge where a price of workers would turn negative: by more than what rounding
    # takes off ψ below
    inside = worker - OUTWARD * np.abs(worker)
    eta = np.maximum(guide.server, 0.0)
    if strict:
        psi = np.maximum(guide.worker, -inside)
        kappa = np.maximum(up(up(psi[:, :, None] + eta[:, None, :]) - sync), 0.0)
        return psi, eta, kappa, up(most * up(kappa.sum(axis=1), data.num_sites))
    eta = np.minimum(eta, down(sync + inside[:, :, None]).min(axis=1))
    psi = down(sync - eta[:, None, :]).min(axis=2)
    return psi, eta, np.zeros_like(sync), np.zeros_like(eta)


@certificate_type
class MlbrokerPrices(PriceCertificate, frozen=True, kw_only=True, tag="mlbroker_run"):
    """A guide that proves a bound on every run and on the offline optimum of a broker."""

    about = "mlbroker"
    bounds = "min"
    #: relax, semantics: variant of mlbroker.relaxed of which the completed guide is a dual point.
    relax: Relax
    semantics: Semantics
    bound: str  #: Lower bound, a fraction.
    guide: str  #: Base64 of the deflated doubles of the guide's fields, in order.

    @classmethod
    def of(
        cls, data: Brokerage, guide: Guide, relax: Relax, semantics: Semantics = "printed"
    ) -> MlbrokerPrices:
        """Certify what ``guide`` proves about ``data``."""
        point = complete(data, guide, relax, semantics)
        parts = [getattr(guide, name).reshape(-1) for name in Guide.shapes(data)]
        return cls(
            kind=cls.about,
            program=f"mlbroker.relaxed[{relax},{semantics}]",
            instance=data.sha256,
            relax=relax,
            semantics=semantics,
            bound=str(point.bound),
            guide=pack(np.concatenate(parts)),
        )

    def read_guide(self, data: Brokerage) -> Guide:
        """Return the guide; raises `NotACertificate` when it has another size."""
        shapes = Guide.shapes(data)
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        raw = unpack(self.guide, (sum(sizes),), "guide")
        parts = np.split(raw, np.cumsum(sizes)[:-1])
        fields = zip(shapes.items(), parts, strict=True)
        return Guide(**{name: part.reshape(shape) for (name, shape), part in fields})

    @property
    def subject(self) -> str:
        """The relaxation of which the guide becomes a dual point."""
        return f"mlbroker.relaxed[{self.relax},{self.semantics}]"

    def prove_bound(self, data: Brokerage, /) -> Fraction:
        """Complete the guide anew."""
        return self.point(data).bound

    def bounds_so_far(self, instance: Brokerage) -> list[Fraction]:
        """Add up what the multipliers prove slot by slot."""
        return list(itertools.accumulate(self.point(instance).by_slot))

    def point(self, data: Brokerage) -> DualPoint:
        """Complete the guide to a dual point; raises `NotACertificate`."""
        return complete(data, self.read_guide(data), self.relax, self.semantics)


def _relaxed(relax: str, semantics: str, options: Options, algorithm: str, _: object) -> bool:
    """Whether runs are points of a variant: fractional ones of the printed are not of the tight."""
    if semantics == "strict" and options.get("semantics") != "strict":
        return False  # printed semantics allow more than (8l), (8m) do
    return relax == "printed" or algorithm not in FRACTIONAL or options.get("relax") == "tight"


def _whole(options: Options, algorithm: str, _: object) -> bool:
    """Whether runs decide whole workers: they are paid for as strict semantics say, always."""
    return algorithm not in FRACTIONAL


run_bounds.add("mlbroker", (
    *(
        RunBound("mlbroker_run", f"mlbroker.relaxed[{r},{s}]", functools.partial(_relaxed, r, s))
        for r in ("printed", "tight") for s in ("printed", "strict")
    ),
    RunBound("priced_tree", "mlbroker.offline[strict,two,split]", _whole),
))  # fmt: skip
