"""How many random examples a test draws: few in ``make test``, many in ``make test-all``."""

from __future__ import annotations

import pytest


def seeds(few: int, many: int) -> pytest.MarkDecorator:
    """Parametrise a test by its ``seed``."""
    later = (pytest.param(seed, marks=pytest.mark.slow) for seed in range(few, many))
    return pytest.mark.parametrize("seed", [*range(few), *later])


def samples(few: int, many: int) -> pytest.MarkDecorator:
    """Parametrise a test by its number of ``samples``."""
    return pytest.mark.parametrize("samples", [few, pytest.param(many, marks=pytest.mark.slow)])
