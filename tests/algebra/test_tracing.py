"""Who reads a rule: one reader a thread, and the one before comes back."""

from __future__ import annotations

import threading

import pytest

from farkas.algebra.cells import current, reading
from farkas.algebra.expressions import Trace


def test_readers_are_nested_and_come_back_after_a_failure():
    outer, inner = Trace(), Trace()
    assert current() is None
    with reading(outer):
        with pytest.raises(ZeroDivisionError), reading(inner):
            1 / (current() is not inner)
        assert current() is outer
    assert current() is None


def test_another_thread_reads_nothing():
    seen = []
    with reading(Trace()):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [None]
