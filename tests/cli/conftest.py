"""The command line is called many times in one process."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
import typer.main


@pytest.fixture(autouse=True, scope="session")
def one_parser() -> Iterator[None]:
    """Build the parser once: it takes ten times as long as refusing a bad command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield
