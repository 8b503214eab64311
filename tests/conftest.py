"""Settings of every test."""

from __future__ import annotations

import signal

from hypothesis import settings

# A run that a shell started in the background ignores Ctrl-C, and so would every child of it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Random examples differ from release to release of hypothesis only: a red test stays red.
settings.register_profile("farkas", derandomize=True, deadline=None)
settings.load_profile("farkas")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden texts of programs instead of comparing with them",
    )
