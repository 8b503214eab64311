"""One thing is not many, and none are not one."""

from __future__ import annotations

import pytest

from farkas.plurals import number_of


@pytest.mark.parametrize(("count", "words"), [(0, "0 jobs"), (1, "1 job"), (2, "2 jobs")])
def test_only_one_is_singular(count: int, words: str) -> None:
    assert number_of(count, "jobs") == words


def test_an_irregular_plural_has_its_own_singular() -> None:
    assert [number_of(n, "entries", "entry") for n in (1, 2)] == ["1 entry", "2 entries"]
