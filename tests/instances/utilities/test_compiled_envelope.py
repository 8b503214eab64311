"""The kernel computes the same, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.utilities.envelope import compiled_envelope, envelope


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e150])
def test_envelopes_of_kernel_and_of_plain_code_are_the_same(scale):
    rng = np.random.default_rng(3)
    for count in (1, 2, 3, *range(4, 60, 5)):
        for values in (
            scale * rng.standard_normal(count),
            scale * np.sort(rng.random(count)),
            scale * np.sqrt(np.arange(float(count))),
            scale * rng.integers(-3, 4, count).astype(float),
        ):
            given = values.copy()
            assert compiled_envelope(values).tobytes() == envelope(values).tobytes()
            assert values.tobytes() == given.tobytes()
