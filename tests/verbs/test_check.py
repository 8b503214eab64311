"""A run or certificate that says more than it proves, or is about something else, is rejected."""

from __future__ import annotations

from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.certificates import FormCertificate
from farkas.errors import NotACertificate
from farkas.online import Run
from farkas.verbs.check import RunProof, recheck


def changed(run: Run, **changes: object) -> Run:
    return msgspec.structs.replace(run, **changes)


@pytest.fixture(scope="module")
def cost() -> Run:
    """A minimisation whose bound, 16.8 up to rounding, is also its value."""
    return farkas.run("mlbroker/tiny", "mlbroker.fractional")


@pytest.fixture(scope="module")
def reward() -> Run:
    """A maximisation: the bound stands above the value."""
    return farkas.run("gadget/tiny", "gadget.las")


def with_bound(run: Run, exact: F) -> Run:
    return changed(run, certificate=msgspec.structs.replace(run.certificate, exact=str(exact)))


def test_a_run_about_another_instance_is_rejected(cost: Run) -> None:
    with pytest.raises(NotACertificate, match="the run is about"):
        farkas.check(cost, "mlbroker/surplus_worker")


def test_a_run_that_turns_its_sense_round_is_rejected(cost: Run) -> None:
    with pytest.raises(NotACertificate, match="the run says max, its certificate min"):
        farkas.check(changed(cost, sense="max"), "mlbroker/tiny")


def test_a_run_that_breaks_a_requirement_has_no_ratio(cost: Run) -> None:
    honest = farkas.check(cost, "mlbroker/tiny")
    broken = farkas.check(changed(cost, violations=["something"]), "mlbroker/tiny")
    assert isinstance(honest, RunProof)
    assert isinstance(broken, RunProof)
    assert honest.ratio is not None
    assert broken.ratio is None


@pytest.mark.parametrize("step", [F(1, 10**9), F(1)])
def test_a_bound_of_a_cost_may_be_claimed_lower_and_not_higher(cost: Run, step: F) -> None:
    bound = cost.certificate.fraction
    assert farkas.check(with_bound(cost, bound - step), "mlbroker/tiny").proof.bound == bound
    with pytest.raises(NotACertificate, match="the run claims the bound"):
        farkas.check(with_bound(cost, bound + step), "mlbroker/tiny")


def test_a_claim_that_no_double_holds_is_refused(cost: Run) -> None:
    with pytest.raises(NotACertificate, match=r"claims the bound 10{36}\.\.\."):
        farkas.check(with_bound(cost, F(10**400)), "mlbroker/tiny")


@pytest.mark.parametrize("step", [F(1, 10**9), F(1)])
def test_a_bound_of_a_reward_may_be_claimed_higher_and_not_lower(reward: Run, step: F) -> None:
    bound = reward.certificate.fraction
    assert farkas.check(with_bound(reward, bound + step), "gadget/tiny").proof.bound == bound
    with pytest.raises(NotACertificate, match="the run claims the bound"):
        farkas.check(with_bound(reward, bound - step), "gadget/tiny")


def test_a_run_without_a_certificate_is_rejected(cost: Run) -> None:
    with pytest.raises(NotACertificate, match="holds no certificate"):
        farkas.check(changed(cost, certificate=None), "mlbroker/tiny")


def test_a_certificate_of_another_instance_is_rejected() -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed", certify=True)
    assert isinstance(solution.certificate, FormCertificate)
    with pytest.raises(NotACertificate, match="the certificate is about"):
        farkas.check(solution.certificate, "mlbroker/surplus_worker")


def test_a_bound_that_is_no_number_is_a_problem_and_not_a_proof(cost: Run) -> None:
    with pytest.raises(farkas.errors.FarkasError):
        recheck(cost.certificate.certificate, "nan", farkas.load("mlbroker/tiny"))
