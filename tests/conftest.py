"""Settings of every test."""

from __future__ import annotations

from hypothesis import settings

# Random examples differ from release to release of hypothesis only: a red test stays red.
settings.register_profile("farkas", derandomize=True, deadline=None)
settings.load_profile("farkas")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden texts of programs instead of comparing with them",
    )
