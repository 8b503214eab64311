"""What registered things say of themselves."""

from __future__ import annotations

import pytest

from farkas.experiments.explained import explanation


def test_a_docstring_is_one_line_and_must_be_there():
    def told() -> None:
        """First line,
        and a second.
        """

    assert explanation(told, "it") == "First line, and a second."
    with pytest.raises(ValueError, match="it needs a docstring"):
        explanation(lambda: None, "it")
