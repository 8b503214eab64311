"""One slot as a problem of its own: the jobs that are active, and where they were before."""

from __future__ import annotations

from farkas.algebra import Sum, constraint, objective
from farkas.models.mlbroker.placement import Connections, Movement, Presence, resources, traffic


class Entering(Movement):
    """Where a job is deployed anew: (8h)."""

    @constraint("8h", "first_slots", "sites")
    def started_at_arrival(m, i, t, r):
        """Every deployment at arrival is new."""
        return m.started[i, t, r] >= m.deployed[i, t, r]

    @constraint("8h", "later_slots", "sites")
    def started_when_new(m, i, t, r):
        """A deployment is new where the job was absent one slot before."""
        return m.started[i, t, r] >= m.deployed[i, t, r] - m.deployed[i, t - 1, r]


class PlacementProgram(Connections, Entering, Presence):
    """Where data, workers and parameter servers go in every slot.  mlBroker (8)."""

    @objective
    def cost(m):
        """Transfer, resource, deployment and synchronisation cost, USD; C1 + C2 + C3 + C4."""
        return (
            traffic(m)
            + resources(m)
            + Sum(m.deploy_cost[i] * m.started[i, t, r] for i, t in m.job_slots for r in m.sites)
        )
