"""What `make test` leaves to `make test-all`: slow tests, most ids of tests and most samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

IDS = 4
"""So many ids of a test are kept, unless its mark says another number."""

_quick = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what `make test` leaves out")


def pytest_configure(config: pytest.Config) -> None:
    global _quick
    _quick = config.getoption("quick")


def some(few: int, many: int) -> int:
    """How many samples a test takes: few in `make test`."""
    return few if _quick else many


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the quick tests, each with a few ids."""
    if not config.getoption("quick"):
        return
    fast = [item for item in items if item.get_closest_marker("slow") is None]
    by_test: dict[str, list[pytest.Item]] = {}
    for item in fast:
        by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for ids in by_test.values() for item in few(ids)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def few(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The first id of a test, the last and some between."""
    mark = items[0].get_closest_marker("ids")
    most = min(mark.args[0] if mark is not None else IDS, len(items))
    for place in range(most):
        yield items[place * (len(items) - 1) // max(most - 1, 1)]
