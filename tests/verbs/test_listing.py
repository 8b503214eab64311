"""Names of what there is, of one kind or of all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from farkas.errors import UnknownName
from farkas.instances import kinds
from farkas.verbs.listing import algorithms, library, programs


@pytest.mark.parametrize("listed", [programs, algorithms, library])
def test_kinds_share_out_all_names(listed: Callable[..., list[str]]) -> None:
    every = listed()
    assert every == sorted(every)
    by_kind = {kind: listed(kind) for kind in kinds()}
    for kind, names in by_kind.items():
        assert names
        assert all(name.startswith((f"{kind}.", f"{kind}/")) for name in names)
    assert {name for names in by_kind.values() for name in names} == set(every)


@pytest.mark.parametrize("listed", [programs, algorithms, library])
def test_a_kind_that_does_not_exist_has_no_list(listed: Callable[..., list[str]]) -> None:
    with pytest.raises(UnknownName, match="did you mean mlbroker"):
        listed("mlbrokr")
