from __future__ import annotations

import pytest

from farkas import instances
from farkas.errors import InvalidOption, UnknownName
from farkas.instances.generate import generate, generators, presets, settings_of

PAIRS = [(kind, preset) for kind in generators() for preset in presets(kind) if preset != "large"]


@pytest.mark.ids(2)
@pytest.mark.parametrize(("kind", "preset"), PAIRS)
def test_a_generated_instance_says_its_settings(kind, preset):
    assert settings_of(kind, preset).text() in generate(kind, preset, 3).description


def test_every_kind_has_a_generator_with_a_published_and_a_small_preset():
    assert set(generators()) <= set(instances.kinds())
    for kind in generators():
        assert {"published", "small"} <= set(presets(kind))


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="unknown generator 'mlbrokr'; did you mean mlbroker"):
        generate("mlbrokr")
    with pytest.raises(InvalidOption, match="no preset 'smal'; did you mean small"):
        generate("mlbroker", "smal")
    with pytest.raises(InvalidOption, match="seed = -1; give an integer >= 0"):
        generate("mlbroker", seed=-1)


@pytest.mark.filterwarnings("error")
def test_settings_that_overflow_are_refused_without_a_warning():
    with pytest.raises(InvalidOption, match="generator mlbroker: a number is too large"):
        generate("mlbroker", "small", price_scale=1e308)
