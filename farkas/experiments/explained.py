"""What registered things say of themselves."""

import inspect
from typing import Any


def explanation(thing: Any, what: str) -> str:
    """Docstring of what is registered, in one line.

    Raises
    ------
    ValueError
        There is none; ``what`` says of whom.
    """
    words = " ".join((inspect.getdoc(thing) or "").split())
    if not words:
        raise ValueError(f"{what} needs a docstring that explains it")
    return words
