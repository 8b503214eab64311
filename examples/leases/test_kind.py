"""The kind keeps what every kind has to keep."""

import pytest

from farkas.testing import checks


@pytest.mark.parametrize("check", checks("lease"), ids=str)
def test_the_kind(check):
    check()
