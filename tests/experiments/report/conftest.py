"""One small sweep that several tests look at."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from farkas.experiments.sweeps import sweep


@pytest.fixture(scope="session")
def swept(tmp_path_factory) -> Path:
    """Store of 5 instances, three algorithms, one of them by a solver without licence."""
    folder = tmp_path_factory.mktemp("sweep")
    path = folder / "small.toml"
    path.write_text(
        textwrap.dedent("""
        name = "small"
        [[instances]]
        kind = "mlbroker"
        preset = "small"
        seeds = "0..4"
        settings = { num_slots = 3 }
        [[algorithms]]
        name = "mlbroker.fractional"
        options = { epsilon = [0.1, 1.0] }
        [[algorithms]]
        name = "mlbroker.local"
        [[algorithms]]
        name = "mlbroker.opt"
        options = { solver = ["highs", "mosek"] }
        """)
    )
    found = sweep(path, workers=1)
    assert found.performed == {"done": 20, "failed": 5}
    return Path(found.store)
