"""Certificates of runs: any guide proves a bound, and none proves too much."""

import dataclasses
import math
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, exact_bound
from farkas.certificates.mlbroker import (
    Guide,
    MlbrokerPrices,
    _by_slot,
    complete,
)
from farkas.duals.mlbroker import lift
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from farkas.tolerances import ULP
from tests.generators.mlbroker import single
from tests.tools.samples import samples

VARIANTS = [
    (relax, semantics) for relax in ("printed", "tight") for semantics in ("printed", "strict")
]


def brokers():
    names = ("tiny", "quiet_slot", "return_trip", "set_cover", "unit_scaling", "harmonic")
    found = [library.load(f"mlbroker/{name}") for name in names]
    return found + [generate("mlbroker", "small", seed=seed) for seed in range(2)]


def random_guide(broker, rng):
    size = 10.0 ** rng.integers(-2, 3)
    return Guide(**{n: size * rng.normal(size=s) for n, s in Guide.shapes(broker).items()})


@pytest.mark.parametrize(("relax", "semantics"), VARIANTS)
def test_any_guide_is_exactly_feasible_for_the_traced_relaxation(relax, semantics):
    # Without implied bounds every negative reduced cost, however small, would be refused.
    rng = np.random.default_rng(3)
    for broker in brokers():
        form = Relaxation(relax=relax, semantics=semantics).form(broker).replace(implied_upper=None)
        optimum = solve(form).objective
        for _ in range(4):
            point = complete(broker, random_guide(broker, rng), relax, semantics)
            traced = exact_bound(form, lift(form, point, broker))
            # The same number but for directed rounding, which may only lower the certificate's.
            assert point.bound <= traced
            assert float(traced - point.bound) <= 1e-9 * max(1.0, abs(float(traced)))
            assert float(point.bound) <= optimum + 1e-6 * max(1.0, abs(optimum))


def test_no_knowledge_proves_the_price_of_the_cheapest_site():
    # One site, 10 workers at the chord price F(10)/10 = min(10, 7.5 + 1.25)/10 = 0.875.
    # Without μ or η nothing but the worker is paid: D β = 1000 · 0.875 / 100 = 8.75.
    broker = library.load("mlbroker/unit_scaling")
    bound = complete(broker, Guide.zeros(broker), "tight", "printed").bound
    assert bound <= F(35, 4)
    assert float(bound) == pytest.approx(8.75, abs=1e-9)


def certificate(name="tiny"):
    broker = library.load(f"mlbroker/{name}")
    run = algorithms["mlbroker.fractional[tight]"].run(broker)
    return broker, msgspec.convert(run.certificate.certificate, MlbrokerPrices)


def test_the_certificate_of_a_run_is_proved_again_from_the_instance():
    broker, written = certificate()
    proof = check(written, instance=broker)
    assert proof.bound == F(written.bound)
    assert float(proof.bound) == pytest.approx(16.8, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guide": "AAAA"}, "guide"),
        ({"bound": "nan"}, "bound"),
        ({"program": "mlbroker.offline[strict]"}, r"not mlbroker.offline\[strict\]"),
        ({"relax": "printed", "program": "mlbroker.relaxed[printed,printed]"}, "only"),
    ],
)
def test_malformed_certificates_are_refused(change, message):
    broker, written = certificate()
    with pytest.raises(NotACertificate, match=message):
        check(msgspec.structs.replace(written, **change), instance=broker)


@samples(400, 2000)
def test_mutated_guides_never_prove_more_than_the_optimum(samples):
    broker = library.load("mlbroker/tiny")
    rng = np.random.default_rng(5)
    run = algorithms["mlbroker.fractional[tight]"].run(broker)
    guide = msgspec.convert(run.certificate.certificate, MlbrokerPrices).read_guide(broker)
    for _ in range(samples):
        changed = {n: getattr(guide, n).copy() for n in Guide.shapes(broker)}
        field = changed[str(rng.choice(list(changed)))]
        field.flat[rng.integers(field.size)] += rng.normal() * 10.0 ** rng.integers(-6, 4)
        assert float(complete(broker, Guide(**changed), "tight", "printed").bound) <= 16.8 + 1e-9


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_guide_with_a_number_that_is_none_is_refused(bad):
    broker = library.load("mlbroker/tiny")
    guide = Guide.zeros(broker)
    guide.server[0, 0] = bad
    with pytest.raises(NotACertificate, match="not finite"):
        complete(broker, guide, "tight", "printed")


def proved_at_most(broker, guide, relax, semantics):
    """Bound that a guide proves; minus infinity where it is refused."""
    try:
        return complete(broker, guide, relax, semantics).bound
    except NotACertificate:
        return -math.inf


@pytest.mark.parametrize("server", [1e308, 1e16, 648.455])
@pytest.mark.parametrize("worker", [1e308, 1e16, 648.455])
def test_multipliers_that_overflow_on_the_way_prove_nothing_false(server, worker):
    # The optimum of mlbroker/tiny is 16.8; the sum of two multipliers of 1e308 is infinite.
    tiny = library.load("mlbroker/tiny")
    zeros = Guide.zeros(tiny)
    guide = dataclasses.replace(
        zeros,
        server=np.full_like(zeros.server, server),
        worker=np.full_like(zeros.worker, worker),
    )
    assert proved_at_most(tiny, guide, "tight", "strict") <= F(168, 10)


@pytest.mark.ids(2)
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_guides_of_any_magnitude_prove_nothing_above_the_optimum(relax, semantics):
    tiny = library.load("mlbroker/tiny")
    rng = np.random.default_rng(5)
    proved = 0
    for _ in range(400):
        fields = {}
        for name, shape in Guide.shapes(tiny).items():
            size = rng.choice([-1.0, 0.0, 1.0], shape, p=[0.2, 0.4, 0.4])
            fields[name] = size * np.minimum(10.0 ** rng.uniform(-30, 308.2, shape), 1.79e308)
        bound = proved_at_most(tiny, Guide(**fields), relax, semantics)
        assert bound <= F(168, 10)
        proved += bound > -math.inf
    assert proved > 40


def test_a_constant_at_the_end_of_the_doubles_proves_nothing_false():
    # θ = 1 makes the dearest ξ: -1.797e308 for each slot, site and resource.
    tiny = library.load("mlbroker/tiny").replace(big_m=1.797e308)
    for share in (0.0, 1e-300, 0.5, 1.0):
        zeros = Guide.zeros(tiny)
        guide = dataclasses.replace(zeros, list_share=np.full_like(zeros.list_share, share))
        assert proved_at_most(tiny, guide, "printed", "printed") <= F(168, 10)


def test_a_product_that_vanishes_is_still_paid_for():
    # Shares at the end of the doubles: ξ <= -θ M exactly, whatever rounds to 0.
    tiny = library.load("mlbroker/tiny")
    zeros = Guide.zeros(tiny)
    guide = dataclasses.replace(zeros, list_share=np.full_like(zeros.list_share, 5e-324))
    point = complete(tiny, guide, "printed", "printed")
    big_m = F(tiny.valid_big_m())
    for xi, theta in zip(point.xi.ravel().tolist(), point.theta.ravel().tolist(), strict=True):
        assert F(xi) <= -F(theta) * big_m


def plain_guide(broker, least):
    """Eighths from ``least`` to ``least + 10``, in an order without a pattern."""
    fields = {}
    for n, (name, shape) in enumerate(Guide.shapes(broker).items()):
        place = np.arange(int(np.prod(shape)))
        fields[name] = (((place * 7 + 3 * n) % 11 + least) / 8).reshape(shape)
    return Guide(**fields)


@pytest.mark.parametrize(
    ("name", "relax", "semantics", "positive", "mixed"),
    [
        ("tiny", "printed", "printed", 4.96875, 3.73125),
        ("tiny", "printed", "strict", -5.0320833333334, 2.1345833333333),
        ("tiny", "tight", "printed", 11.7125, 12.3375),
        ("tiny", "tight", "strict", 0.95125, 9.62),
        ("return_trip", "printed", "printed", 0.2, 0.19),
        ("return_trip", "printed", "strict", -3.5425, -2.7075),
        ("return_trip", "tight", "printed", 0.6, 0.5),
        ("return_trip", "tight", "strict", -3.275, -1.775),
        ("set_cover", "printed", "printed", 0.0006, 0.000225),
        ("set_cover", "printed", "strict", -30.0617375, -16.4994625),
        ("set_cover", "tight", "printed", 0.0006, 0.0004),
        ("set_cover", "tight", "strict", -30.4992, -14.8742),
    ],
)
def test_plain_guides_prove_what_the_formulas_give(name, relax, semantics, positive, mixed):
    # without rounding these would be the printed decimals; strict terms that cancel lose 1e-11
    broker = library.load(f"mlbroker/{name}")
    for least, bound in ((0, positive), (-4, mixed)):
        proved = complete(broker, plain_guide(broker, least), relax, semantics).bound
        assert float(proved) == pytest.approx(bound, rel=2e-12, abs=2e-12)


def test_guides_of_another_shape_are_refused():
    tiny = library.load("mlbroker/tiny")
    zeros = Guide.zeros(tiny)
    for name in Guide.shapes(tiny):
        wrong = dataclasses.replace(zeros, **{name: getattr(zeros, name)[:-1]})
        with pytest.raises(NotACertificate, match=f"{name} has shape"):
            complete(tiny, wrong, "tight", "printed")


@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_an_idle_worker_under_strict_semantics_meets_the_larger_constants(relax):
    # no data: one unit as printed, but an idle worker more keeps the job there, so that the
    # discount of the second unit counts: constants of 0.75 instead of 0.25
    idle = single([[0.0]], discount_price=[[0.5]], discount_threshold=[[0.5]])
    form = Relaxation(relax=relax, semantics="strict").form(idle).replace(implied_upper=None)
    rng = np.random.default_rng(0)
    for _ in range(20):
        point = complete(idle, random_guide(idle, rng), relax, "strict")
        traced = exact_bound(form, lift(form, point, idle))
        assert point.bound <= traced
        assert float(traced - point.bound) <= 1e-9


def test_a_sum_over_sites_that_loses_every_summand_is_still_paid_for():
    # added up in order, 1 and numbers below half its last place are 1: 15 places too little
    psi = np.array([1.0, *[0.75 * ULP / 2] * 40])
    free = np.zeros((len(psi), len(psi)))
    broker = single(
        [[5.0] * len(psi)], transfer_price=free, sync_volume=0.0, server_demand=[0.0],
        deploy_cost=0.0,
    )  # fmt: skip
    guide = dataclasses.replace(Guide.zeros(broker), worker=psi[None, :])
    point = complete(broker, guide, "tight", "strict")
    most = int(broker.most_workers("strict")[0])
    # γ <= π^s + Y η − Ȳ Σ κ, and a server costs nothing here
    for kappa in point.kappa[0].T.tolist():
        assert F(float(point.gamma[0])) <= -most * sum(map(F, kappa)) <= -most * sum(map(F, psi))


def test_transfer_of_parameters_that_is_rounded_up_is_not_paid_in_full():
    # η of the second site takes all of V d that the first site's worker leaves, so that ψ cancels
    raised = 0
    for tenth in range(1, 30):
        volume, dear = tenth / 10, 0.3
        broker = single(
            [[5.0, 5.0]], transfer_price=[[0.0, dear], [dear, 0.0]], sync_volume=volume,
            base_price=[[1e-9], [100.0]],
        )  # fmt: skip
        server = np.array([[0.0, 1e9]])
        guide = dataclasses.replace(Guide.zeros(broker), server=server)
        point = complete(broker, guide, "tight", "printed")
        psi, eta, kappa = point.psi[0].tolist(), point.eta[0].tolist(), point.kappa[0].tolist()
        assert eta[1] > 0
        for r, s in np.ndindex(2, 2):
            paid = F(psi[r]) + F(eta[s]) - F(kappa[r][s])
            assert paid <= F(broker.jobs[0].sync_volume) * F(float(broker.transfer[r, s]))
        raised += F(volume * dear) > F(volume) * F(dear)
    assert raised


def test_the_constant_of_discounted_prices_is_never_rounded_up():
    raised = 0
    for tenth in range(1, 30):
        broker = single([[1.0]], base_price=[[tenth / 10]], discount_price=[[0.03]],
                        discount_threshold=[[0.7]])  # fmt: skip
        list_price, reduced = float(broker.list_price[0, 0]), float(broker.reduced_price[0, 0])
        exact = (F(list_price) - F(reduced)) * F(float(broker.threshold[0, 0]))
        shape = (broker.num_slots, broker.num_sites, broker.num_resources)
        none = np.zeros(broker.trained_volume.shape), np.zeros(broker.num_pairs)
        found = sum(_by_slot(broker, *none, np.ones(shape), np.zeros(shape)))
        most = broker.num_slots * exact
        assert most * (1 - 10 * F(ULP)) <= found <= most
        raised += F(float(broker.surcharge[0, 0])) > exact
    assert raised
