"""What is built from the public functions: figures, sweeps, reports, pictures, the demo."""

import inspect


def explanation(thing: object, what: str) -> str:
    """Docstring of what is registered, in one line; raises `ValueError` without one."""
    words = " ".join((inspect.getdoc(thing) or "").split())
    if not words:
        raise ValueError(f"{what} needs a docstring that explains it")
    return words
