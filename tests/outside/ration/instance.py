"""One stock and the requests for it, in order of arrival."""

from __future__ import annotations

from farkas.instances.base import Instance, Nonnegative, Positive, Record


class Request(Record, frozen=True, kw_only=True):
    """A request."""

    units: Positive  #: Units of the stock, > 0.
    worth: Nonnegative  #: What serving it earns, >= 0.


class Stock(Instance, frozen=True, kw_only=True, tag="ration"):
    """A stock of ``units`` and its requests."""

    units: Positive
    requests: tuple[Request, ...]
