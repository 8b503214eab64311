"""mlbroker.relaxed[sharp,strict]: the bound that knows where the server stands."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates.mlbroker_slots import MOST_SITES
from farkas.errors import InvalidOption
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.relaxations.mlbroker.sharp import SetTies, Sharp, SiteTies, ties_of
from tests.generators.mlbroker import random_brokerage, single


def test_the_sharp_bound_needs_strict_semantics():
    assert type(Relaxed(relax="sharp", semantics="strict")) is Sharp
    assert type(Relaxed(relax="tight")) is Relaxed
    with pytest.raises(InvalidOption, match="sharp needs semantics strict"):
        programs.build("mlbroker.relaxed[sharp]")
    with pytest.raises(InvalidOption, match="relax cannot be 'tigth'; did you mean tight"):
        Relaxed(relax="tigth")
    assert programs.build("mlbroker.relaxed[strict,tight]").full_name == (
        "mlbroker.relaxed[tight,strict]"
    )


def test_sets_are_listed_as_long_as_there_are_few():
    for sites, wanted in ((MOST_SITES, SetTies), (MOST_SITES + 1, SiteTies)):
        data = single([[1.0] * sites])
        assert type(ties_of(data, np.zeros(0, np.int64))) is wanted


def test_ties_of_sites_are_those_of_sets_that_add_up():
    data = random_brokerage(3, sites=3, slots=5, jobs=4, resources=2)
    links = np.flatnonzero(data.next_pair >= 0)
    sites, sets = SiteTies(data, links), SetTies(data, links)
    rng = np.random.default_rng(1)
    present = rng.random((len(links), 3)) < 0.5
    inside = np.arange(8)[:, None] >> np.arange(3) & 1
    assert (sets.shown(present) @ inside == sites.shown(present)).all()
    toll = sites.closed(9 * rng.normal(size=(len(links), 3)), 20)
    assert (toll <= 0).all()
    assert (toll >= -data.deploy_cost[data.pair_job[links]][:, None]).all()
    assert (sites.closed(toll, 20) == toll).all()
    assert (sets.closed(toll @ inside.T, 20) == toll @ inside.T).all()
