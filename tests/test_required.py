"""What seeds and functions of progress must be."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption
from farkas.required import require_progress, require_seed


@pytest.mark.parametrize("given", [None, print, dict])
def test_progress_is_a_function_or_none(given):
    require_progress(given)
    with pytest.raises(InvalidOption, match=r"progress cannot be \[\]: give a function or None"):
        require_progress([])


@pytest.mark.parametrize("seed", [-3, 1.0, "1", True, None])
def test_a_seed_is_a_whole_number_from_zero_on(seed):
    require_seed(0)
    with pytest.raises(InvalidOption, match=r"^seed "):
        require_seed(seed)


def test_a_seed_of_more_digits_than_python_writes_is_refused_all_the_same():
    with pytest.raises(InvalidOption, match=r"seed has \d+ bits; 1024 are the most"):
        require_seed(-(10**5000))
