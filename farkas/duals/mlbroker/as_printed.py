"""Program mlbroker.dual_as_printed."""

from farkas.algebra import Sum, constraint, objective
from farkas.duals.mlbroker.dual import Dual, rent


class DualAsPrinted(Dual):
    """The dual that the paper prints, with its indices repaired.  mlBroker (11).

    Kept as printed: no ξ in the objective, and (11c), (11d) once per resource instead of summed.
    Repaired, since it would not parse: see ``REPAIRS`` in `printed_against_derived`.
    It is no dual of (9): its value, always finite, bounds (9) neither from below nor from above.
    """

    name = "mlbroker.dual_as_printed"

    @constraint("11c", "job_slots", "sites", "resources")
    def worth_of_workers(m, i, t, r, k):
        """Capacity is not worth more than one resource and the links of a worker.  Column y."""
        resource = rent(m, m.worker_demand, i, t, r, k)
        return (
            m.rate[i] * m.enough_workers[i, t, r]
            <= resource + m.present_where_used[i, t, r] + m.workers_connect[i, t, r]
        )

    @constraint("11d", "job_slots", "sites", "resources")
    def worth_of_server(m, i, t, r, k):
        """A server is not worth more than one of its resources and its links.  Column s."""
        resource = rent(m, m.server_demand, i, t, r, k)
        return (
            m.one_server[i, t]
            <= resource
            + m.present_where_used[i, t, r]
            + m.needed[i, t] * m.server_is_connected[i, t, r]
        )

    @objective
    def worth(m):
        """Worth of data, surcharges and servers, USD."""
        return (
            Sum(
                m.volume[i, t, r] * m.all_data_moved[i, t, r]
                for i, t in m.job_slots
                for r in m.sites
            )
            + Sum(
                m.surcharge[r, k] * m.cost_at_reduced_price[t, r, k]
                for t in m.slots
                for r in m.sites
                for k in m.resources
            )
            + Sum(m.one_server[i, t] for i, t in m.job_slots)
        )
