"""Settings of every test."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

import farkas.compiled

# A run that a shell started in the background ignores Ctrl-C, and so would every child of it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Random examples differ from release to release of hypothesis only: a red test stays red.
settings.register_profile("farkas", derandomize=True, deadline=None)
settings.load_profile("farkas")


@pytest.fixture(autouse=True, scope="session")
def machine_code() -> None:
    """Compile every kernel, so that tests on small instances reach what large ones run."""
    farkas.compiled.STEPS_INTERPRETED = -1


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden texts of programs instead of comparing with them",
    )
