"""Rows of Table 2: they hold on a run, and each notices a multiplier or a decision that is off."""

import dataclasses

import numpy as np
import pytest

from farkas.proofs.mlbroker.kkt import (
    decisions,
    products,
    statements,
)
from farkas.proofs.mlbroker.runs import shipped, trace

ROWS = {f"K{number}" for number in range(1, 23)} | {"v", "u"}


@pytest.fixture(scope="module")
def run():
    return trace("mlbroker/return_trip", shipped("return_trip"), "printed")


@pytest.fixture(scope="module")
def discounted():
    return trace("mlbroker/tiny", shipped("tiny"), "printed")


def changed(run, **fields):
    return dataclasses.replace(run, point=dataclasses.replace(run.point, **fields))


def broken(run) -> set[str]:
    return {row for row, relation in statements(run).items() if not relation.holds}


def test_all_rows_of_the_table_are_stated_and_hold(run, discounted):
    assert statements(run).keys() == ROWS
    assert broken(run) == broken(discounted) == set()


@pytest.mark.parametrize(
    ("name", "factor", "rows"),
    [
        ("alpha", 2.0, {"K2"}),
        ("alpha", 0.5, {"K4", "K18"}),
        ("beta", 2.0, {"K4"}),
        ("beta", 0.5, {"K20"}),
        ("gamma", 2.0, {"K3"}),
        ("gamma", 0.5, {"K21"}),
        ("theta", 2.0, {"K1"}),
        ("theta", 0.5, {"K2"}),
        ("phi_server", 9.0, {"K6"}),
        ("xi", 0.5, {"K7"}),
        ("xi", 2.0, {"u"}),
    ],
)
def test_a_multiplier_that_is_off_breaks_its_rows(discounted, name, factor, rows):
    off = changed(discounted, **{name: factor * getattr(discounted.point, name)})
    assert rows <= broken(off)


def test_prices_of_the_server_and_of_workers_are_noticed(run):
    shape = run.point.eta.shape
    assert "K5" in broken(changed(run, eta=run.point.eta + 1000.0))
    assert "K5" in broken(changed(run, psi=run.point.psi + 1000.0))
    assert "K19" in broken(changed(run, psi=np.full(shape, -1000.0)))
    assert "K8" in broken(changed(run, rho=run.point.rho + 1.0))


def test_a_decision_that_is_off_breaks_the_products_of_its_rows(discounted):
    lazy = dataclasses.replace(discounted, deployed=discounted.deployed + 1.0)
    assert {"K15"} <= broken(changed(lazy, phi_server=discounted.point.phi_server + 1.0))
    slots = tuple(
        dataclasses.replace(d, workers=2 * d.workers, server=2 * d.server)
        for d in discounted.decisions
    )
    idle = dataclasses.replace(discounted, decisions=slots)
    assert {"K9", "K13"} <= broken(idle)
    fewer = tuple(dataclasses.replace(d, workers=d.workers / 2) for d in discounted.decisions)
    some = dataclasses.replace(discounted, decisions=fewer)
    ones = np.ones_like(discounted.point.psi)
    assert {"K16", "K17"} <= broken(changed(some, psi=ones, eta=2 * ones)) | broken(
        changed(idle, psi=ones, eta=2 * ones)
    )


def test_products_are_money_of_each_row(discounted):
    found = dict(products(discounted))
    point, (y, s, q, g) = discounted.point, decisions(discounted)
    assert found["K10"].shape == point.beta.shape
    np.testing.assert_allclose(found["K13"], point.gamma * (s.sum(axis=1) - 1))
    np.testing.assert_allclose(q.sum(axis=2), discounted.instance.volume)
    np.testing.assert_allclose(g.sum(axis=2), y, atol=1e-12)
