"""Machines, and the requests for parts of them."""

from farkas.instances.base import Count, Index, Instance, Record, require


class Request(Record, frozen=True, kw_only=True):
    """What somebody asks for."""

    arrival: Index  #: First slot.
    slots: Count  #: How many.
    units: Count  #: Of one machine, in each of these slots.
    worth: Count  #: What it earns if it is served.


class Leases(Instance, frozen=True, kw_only=True, tag="lease"):
    """Equal machines, and requests in order of arrival."""

    machines: Count
    capacity: Count  #: Units of every machine.
    requests: tuple[Request, ...]

    def check(self):
        """Every request fits into an empty machine, and they come in order."""
        for index, one in enumerate(self.requests):
            require(one.units <= self.capacity, f"requests[{index}] is larger than a machine")
        arrivals = [one.arrival for one in self.requests]
        require(arrivals == sorted(arrivals), "requests are not in order of arrival")
