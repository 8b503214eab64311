"""Settings of every test."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from farkas.certificates import vipr
from farkas.proofs import Verdict, claims
from tests.recorded import relations
from tests.tools import quick
from tests.tools.second_reading import read_again

pytest_configure = quick.pytest_configure
pytest_addoption = quick.pytest_addoption
pytest_collection_modifyitems = quick.pytest_collection_modifyitems

# A run that a shell started in the background ignores Ctrl-C, and so would every child of it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Random examples differ from release to release of hypothesis only: a red test stays red.  How long
# they take to draw is the machine's affair.
settings.register_profile(
    "farkas", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("farkas")


@pytest.fixture(autouse=True)
def as_wide_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of tests are not those of the terminal that runs them: its width may be exported."""
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True, scope="session")
def read_twice() -> Iterator[None]:
    """Hold every VIPR file that farkas writes here to the second checker."""
    patch = pytest.MonkeyPatch()
    patch.setattr(vipr, "replacing", read_again(vipr.replacing))
    yield
    patch.undo()


@functools.cache
def heard(name: str) -> tuple[Verdict, relations.RunStatement]:
    return relations.heard(claims[name].run)


@pytest.fixture(scope="session")
def verdict_of() -> Callable[[str], Verdict]:
    """Verdict of a claim; its runs take long, and several tests look at it."""
    return lambda name: heard(name)[0]


@pytest.fixture(scope="session")
def stated_by() -> Callable[[str], relations.RunStatement]:
    """What a claim states when it is checked, counted by sign."""
    return lambda name: heard(name)[1]
