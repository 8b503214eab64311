"""Liquid: a number of workers that balances traffic and time."""

from __future__ import annotations

import functools

from tests.references import eris_baselines
from tests.tools.eris_slots import hold_to_lists


def test_whole_runs_are_those_of_lists() -> None:
    hold_to_lists("eris.liquid", eris_baselines.liquid)


def test_whole_runs_read_literally_are_those_of_lists() -> None:
    reference = functools.partial(eris_baselines.liquid, literal=True)
    hold_to_lists("eris.liquid[literal]", reference, pays=False)
