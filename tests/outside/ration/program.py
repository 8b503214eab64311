"""The best choice of requests in shares, an upper bound on every choice."""

from __future__ import annotations

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective


class Shares(Program):
    """Requests may be served in part.  Dantzig (1957)."""

    name = "ration.shares"
    kind = "ration"
    sense = "max"

    def declare(self, m, data):
        """Sets, parameters and variables."""
        m.requests = Set(range(len(data.requests)), label="request")
        m.units = Param(m.requests, values=[r.units for r in data.requests])
        m.worth = Param(m.requests, values=[r.worth for r in data.requests])
        m.stock = Param(values=data.units)
        m.served = Var(m.requests, upper=1.0, doc="Share of a request that is served; x.")

    @constraint("1")
    def no_more_than_there_is(m):
        """The stock suffices."""
        return Sum(m.units[i] * m.served[i] for i in m.requests) <= m.stock

    @objective
    def earned(m):
        """Worth of what is served."""
        return Sum(m.worth[i] * m.served[i] for i in m.requests)
