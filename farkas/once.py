"""What is computed once for an object: kept beside it, not in it, and gone with it."""

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def once(function: Callable[[T], R]) -> Callable[[T], R]:
    """Compute ``function`` once for every object, and forget the result when the object dies.

    Objects are told apart by identity: `functools.cache` would hash a whole instance at every
    call and keep it alive.  The result must not refer to the object.
    """
    known: dict[int, tuple[weakref.ref[Any], R]] = {}

    @functools.wraps(function)
    def remembered(of: T) -> R:
        key = id(of)
        if key not in known:
            result = function(of)
            known[key] = weakref.ref(of, lambda _: known.pop(key, None)), result
        return known[key][1]

    return remembered
