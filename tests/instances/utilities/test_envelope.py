"""The least concave function above a utility, by hand and against all chords."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.instances.utilities.envelope import envelope
from farkas.models.gadget.envelope import compiled_envelope


@pytest.mark.parametrize(
    ("values", "hull"),
    [
        ([5.0], [5.0]),
        ([0.0, 1.0], [0.0, 1.0]),
        # a sigmoid's start is bridged: from (0, 0) to (2, 4) the chord has slope 2
        ([0.0, 1.0, 4.0, 5.0], [0.0, 2.0, 4.0, 5.0]),
        ([3.0, 0.0, 1.0], [3.0, 2.0, 1.0]),
        # three on a line, and a last point that swallows all between
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]),
        ([0.0, 1.0, 1.0, 9.0], [0.0, 3.0, 6.0, 9.0]),
        ([0.0, -4.0, -6.0], [0.0, -3.0, -6.0]),
    ],
)
def test_envelopes_by_hand(values, hull):
    assert envelope(np.array(values)).tolist() == hull


def test_no_chord_of_two_points_is_above_the_envelope_and_some_chord_reaches_it():
    rng = np.random.default_rng(3)
    for count in (1, 2, *range(3, 13)):
        values = rng.integers(-5, 6, count).astype(float)
        chords = values.copy()
        for a, b in itertools.combinations(range(count), 2):
            at = np.arange(a, b + 1)
            line = values[a] + (values[b] - values[a]) * (at - a) / (b - a)
            chords[a : b + 1] = np.maximum(chords[a : b + 1], line)
        assert envelope(values) == pytest.approx(chords, abs=1e-12)
        assert values.tolist() == values.copy().tolist()


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
