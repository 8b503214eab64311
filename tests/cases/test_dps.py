"""Case files of kind dps, key by key, and the edges that other instances may have."""

from __future__ import annotations

import json
import math

import pytest

from farkas.errors import NotApplicable
from farkas.instances import read
from farkas.quantities import evaluate
from farkas.quantities.evaluate import evaluate_all, wanted_keys
from tests.generators.dps import empty_market, random_market
from tests.tools.samples import seeds
from tests.tools.shared import case_files, shared

CASES = case_files("dps")
ALWAYS = {
    "dps.runtimes", "dps.interval_lp", "dps.interval_ip", "dps.certificate", "dps.placement",
    "dps.pa_sequence", "dps.best_fit_sequence", "dps.dps", "dps.simple", "dps.top", "dps.random",
    "dps.dps_random_placement",
}  # fmt: skip


def all_keys(market):
    """Keys of quantities, of programs and of sellers that draw."""
    return [*wanted_keys(market), *sorted(ALWAYS), "dps.offline_lp", "dps.interval_lp_capped"]


def agrees(found, wanted, tol: float) -> bool:
    """|x - v| <= tol max(1, |v|), entry by entry; null, booleans and lengths exactly."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            agrees(found[k], wanted[k], tol) for k in wanted
        )
    if isinstance(wanted, list):
        pairs = zip(found, wanted, strict=True)
        return len(found) == len(wanted) and all(agrees(f, w, tol) for f, w in pairs)
    if wanted is None or isinstance(wanted, bool):
        return found is wanted
    return not isinstance(found, bool) and abs(found - wanted) <= tol * max(1.0, abs(wanted))


def test_case_files_are_there():
    assert list(shared("cases", "dps").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_key_has_its_value(path):
    expected = json.loads(path.read_text())["expected"]
    values = evaluate(read(path), expected)
    wrong = {
        key: (values.get(key), entry["value"])
        for key, entry in expected.items()
        if key not in values or not agrees(values[key], entry["value"], entry["tol"])
    }
    assert not wrong


@pytest.mark.parametrize(
    "market", [empty_market(), random_market(4).replace(server_workers=[], server_ps=[])]
)
def test_nobody_and_nothing_to_sell_give_zero(market):
    values = evaluate(market, all_keys(market))
    assert set(values) >= ALWAYS
    for key in ("dps.interval_lp", "dps.offline", "dps.certificate", "dps.random"):
        assert values[key] == 0.0
    for key in ("dps.dps", "dps.simple", "dps.top"):
        assert values[key]["profit"] == values[key]["served"] == 0


@pytest.mark.ids(5)
@seeds(12, 30)
def test_bounds_and_runs_are_ordered_on_any_market(seed):
    market = random_market(seed, jobs=10)
    values = {}
    for outcome in evaluate_all(market, all_keys(market)):
        assert outcome.error is None or isinstance(outcome.error, NotApplicable), outcome
        values[outcome.key] = outcome.value
    assert set(values) >= ALWAYS
    slack = 1e-6
    assert values["dps.offline"] <= values["dps.offline_lp"] + slack
    assert values["dps.offline_lp"] <= values["dps.interval_lp"] + slack
    assert values["dps.offline"] <= values["dps.interval_ip"] + slack
    assert values["dps.interval_ip"] <= values["dps.interval_lp"] + slack
    assert math.isclose(values["dps.certificate"], values["dps.interval_lp"], abs_tol=1e-7)
    if market.price_cap is not None:
        assert values["dps.offline_forced"] <= values["dps.offline_capped"] + slack
        assert values["dps.offline_capped"] <= values["dps.offline"] + slack
        assert values["dps.random"] <= values["dps.offline_capped"] + slack
    for key in ("dps.dps", "dps.simple", "dps.top"):
        assert values[key]["profit"] <= values["dps.offline"] + slack
