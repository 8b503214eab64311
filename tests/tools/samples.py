"""How many random examples a test draws: few in ``make test``, many in ``make test-all``."""

from __future__ import annotations

import pytest


def samples(few: int, many: int) -> pytest.MarkDecorator:
    """Parametrise a test by its number of ``samples``."""
    return pytest.mark.parametrize("samples", [few, pytest.param(many, marks=pytest.mark.slow)])
