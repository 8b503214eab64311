"""Algorithm 1 and its variants: when they explore and which constants they take."""

import numpy as np
import pytest

from farkas.online.dps.learning import Dps, RandomPlacement, Scaled, Simple, Top
from farkas.online.dps.posted import run_seller
from tests.generators.dps import learning_market
from tests.references.dps_market import best_fit, in_random_order
from tests.references.dps_sellers import alike, bandits, handled

VARIANTS = {
    "dps": (Dps(), {}),
    "best fit": (Dps(placement="best_fit"), {"place": best_fit}),
    "range": (Dps(radii="range"), {"wide": True}),
    "turnover": (Dps(capacity="turnover"), {"form": "turnover"}),
    "simple": (Simple(), {"explore": False}),
    "top": (Top(), {"explore": False, "grid": "uniform", "form": "top"}),
    "scaled": (Scaled(), {"wide": True, "form": "turnover"}),
}


@pytest.mark.ids(84)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(24))
def test_jobs_are_priced_as_the_algorithm_written_with_lists_prices_them(variant, seed):
    market, (seller, words) = learning_market(seed), VARIANTS[variant]
    assert alike(handled(run_seller(seller, market, seed)), bandits(market, **words))


@pytest.mark.parametrize("seed", range(24))
def test_servers_in_random_order_are_those_of_the_list(seed):
    market, rng = learning_market(seed), np.random.default_rng(seed)
    wanted = bandits(market, place=in_random_order(rng))
    assert alike(handled(run_seller(RandomPlacement(), market, seed)), wanted)
