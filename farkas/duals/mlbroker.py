"""Duals of kind mlbroker: by hand, as printed, and multipliers from a run's dual point."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective, programs
from farkas.duals.multipliers import Restatement, restatements
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.data import declare_data, declare_sets
from farkas.numbers import Floats

if TYPE_CHECKING:
    from farkas.certificates.mlbroker import DualPoint, MlbrokerPrices


@dataclasses.dataclass(frozen=True, slots=True)
class Worth:
    """Most that multipliers are worth, USD; shapes (pairs, sites) or (pairs, 1)."""

    deployment: Floats  #: c in the paper.
    presence: Floats  #: c / U.
    worker: Floats  #: w, resources and presence of a worker.
    capacity: Floats  #: w / P, per GB.
    #: Shape (pairs,), resources, presence and connections of a server at its cheapest site.
    server: Floats

    @classmethod
    def of(cls, data: Brokerage) -> Worth:
        """Compute them, rounded up: at least what the rounded coefficients of the rows add up to.

        A value beyond the largest double is infinite, which bounds nothing.
        """
        jobs, roundings = data.pair_job, 2 * data.num_resources + 8
        with np.errstate(over="ignore"):
            deployment = data.deploy_cost[jobs, None]
            costs = deployment > 0
            presence = deployment / data.deployment_bound("printed")
            presence = shared.rounded_up(presence, 1, costs)
            worker = (data.worker_demand[jobs][:, None] * data.list_price).sum(axis=2) + presence
            worker = shared.rounded_up(worker, roundings, worker > 0)
            capacity = worker / data.worker_capacity[jobs, None]
            capacity = shared.rounded_up(capacity, 1, worker > 0)
            server = (data.server_demand[jobs][:, None] * data.list_price).sum(axis=2) + presence
            needed = data.workers_needed[:, None]
            server = server + needed * np.where(needed > 0, worker, 0.0)
            server = shared.rounded_up(server, roundings, server > 0)
        return cls(deployment, presence, worker, capacity, server.min(axis=1))


def rent(m, demand, i, t, r, k):
    """USD that a worker or a server pays for one resource at the weights of both prices."""
    return (
        m.list_price[r, k] * demand[i, k] * m.cost_at_list_price[t, r, k]
        + m.reduced_price[r, k] * demand[i, k] * m.cost_at_reduced_price[t, r, k]
    )


def worker_row(m, i, t, r, rents):
    """Row (11c), a worker paying ``rents``."""
    return (
        m.rate[i] * m.enough_workers[i, t, r]
        <= rents + m.present_where_used[i, t, r] + m.workers_connect[i, t, r]
    )


def server_row(m, i, t, r, rents):
    """Row (11d), a server paying ``rents``."""
    connected = m.needed[i, t] * m.server_is_connected[i, t, r]
    return m.one_server[i, t] <= rents + m.present_where_used[i, t, r] + connected


def printed_worth(m):
    """Worth of data, surcharges and servers, USD; the objective of (11)."""
    return (
        Sum(m.volume[i, t, r] * m.all_data_moved[i, t, r] for i, t in m.job_slots for r in m.sites)
        + Sum(
            m.surcharge[r, k] * m.cost_at_reduced_price[t, r, k]
            for t in m.slots
            for r in m.sites
            for k in m.resources
        )
        + Sum(m.one_server[i, t] for i, t in m.job_slots)
    )


class Dual(Program):
    """Dual of the printed relaxation (9), corrected.  mlBroker (11).

    Written by hand; tests compare it row by row with the mechanical dual.  Variables carry the
    names of the constraints of (8) whose multipliers they are, so
    ``enough_workers`` is α, ``all_data_moved`` β, ``cost_at_list_price`` θ,
    ``cost_at_reduced_price`` ρ, ``one_branch`` ξ, ``one_server`` γ, ``present_where_used`` φ,
    ``started_when_new`` μ, ``workers_connect`` ψ and ``server_is_connected`` η.

    Some optimum lies in a bounded box, which proofs need.  Every feasible point has θ + ρ <= 1 by
    (11a), μ <= c by (11g) and U φ <= μ by (11f), so that a worker pays at most
    w = Σ_k n_k a_k + c/U for resources and presence.  Data stay at home for nothing (d has a zero
    diagonal), so (11e) gives ψ <= -η <= 0, (11c) ψ >= P α - w >= -w, hence η <= -ψ <= w and
    P α <= w; (11b) gives β <= α and (11d) γ <= Σ_k m_k a_k + c/U + Y w.  Where the objective
    likes a variable (β, γ, ξ: coefficients D, 1, 1, all >= 0), raising it to its constraints loses
    nothing and makes β >= min (α + d) >= 0, γ >= 0 and ξ = -M max(θ, ρ) >= -M.  As printed (11c)
    and (11d) hold for each resource alone, which implies the sums used here, and ξ costs nothing.
    """

    name = "mlbroker.dual"
    kind = "mlbroker"
    sense = "max"

    def declare(self, m: Any, data: Brokerage) -> None:
        """Declare the data of (9) and one multiplier per row."""
        declare_sets(m, data)
        declare_data(m, data, "printed")
        last = data.next_pair < 0
        pairs = np.column_stack([data.pair_job, data.pair_slot])
        m.last_slots = Set(pairs[last], label=("job", "slot"))
        m.staying_slots = Set(pairs[~last], label=("job", "slot"))
        m.list_price = Param(m.sites, m.resources, values=data.list_price)
        m.reduced_price = Param(m.sites, m.resources, values=data.reduced_price)
        m.surcharge = Param(m.sites, m.resources, values=data.surcharge)
        m.big_m = Param(values=data.valid_big_m("printed"))
        m.presence_bound = Param(values=data.deployment_bound("printed"))
        self._declare_multipliers(m, data)

    def _declare_multipliers(self, m: Any, data: Brokerage) -> None:
        at_site, priced = (m.job_slots, m.sites), (m.slots, m.sites, m.resources)
        worth, most = Worth.of(data), data.valid_big_m("printed")
        # sets, least (None: not negative at all) and most, meaning, why the box loses nothing
        boxes: dict[str, tuple[tuple[Any, ...], Any, Any, str, str]] = {
            "enough_workers": (at_site, None, worth.capacity,
                "USD per GB of capacity; α.", "(11c) with (11e)"),
            "all_data_moved": (at_site, 0.0, worth.capacity,
                "USD per GB of data; β.", "(11b); raising β to the least of α + d loses nothing"),
            "cost_at_list_price": (priced, None, 1.0, "Weight of the list price; θ.", "(11a)"),
            "cost_at_reduced_price": (priced, None, 1.0,
                "Weight of the discounted price; ρ.", "(11a)"),
            "one_branch": (priced, -most, 0.0, "USD for choosing a price; ξ.",
                "(11h); raising ξ to -M times the larger weight loses nothing"),
            "one_server": ((m.job_slots,), 0.0, worth.server, "USD per server; γ.",
                "(11d); raising γ to the least of its right sides loses nothing"),
            "present_where_used": (at_site, None, worth.presence,
                "USD per worker or server present; φ.", "(11f), (11g)"),
            "started_when_new": (at_site, None, worth.deployment,
                "USD saved by being there before; μ.", "(11g)"),
            "workers_connect": (at_site, -worth.worker, 0.0,
                "USD per connection of a worker; ψ.", "(11c), and (11e) within a site"),
            "server_is_connected": (at_site, None, worth.worker,
                "USD per connection to the server; η.", "(11e) within a site"),
        }  # fmt: skip
        for name, (sets, least, largest, doc, reason) in boxes.items():
            var = Var(
                *sets,
                lower=0.0 if least is None else -np.inf,
                implied_lower=least,
                implied_upper=largest,
                doc=doc,
                reason=reason,
            )
            setattr(m, name, var)

    @constraint("11a", "slots", "sites", "resources")
    def price_weights(m, t, r, k):
        """The weights of both prices are at most 1 together.  Column x."""
        return m.cost_at_list_price[t, r, k] + m.cost_at_reduced_price[t, r, k] <= 1

    @constraint("11b", "job_slots", "sites", "sites")
    def worth_of_moved_data(m, i, t, o, r):
        """Data are not worth more than moving and capacity.  Column q.

        As printed α carries both sites; see erratum 3.
        """
        return m.all_data_moved[i, t, o] - m.enough_workers[i, t, r] <= m.transfer_price[o, r]

    @constraint("11c", "job_slots", "sites")
    def worth_of_workers(m, i, t, r):
        """Capacity is not worth more than all resources and links of a worker.  Column y.

        As printed the sum over resources is missing; see erratum 2.
        """
        rents = Sum(rent(m, m.worker_demand, i, t, r, k) for k in m.resources)
        return worker_row(m, i, t, r, rents)

    @constraint("11d", "job_slots", "sites")
    def worth_of_server(m, i, t, r):
        """A server is not worth more than all its resources and links.  Column s.

        As printed the sum over resources is missing; see erratum 2.
        """
        rents = Sum(rent(m, m.server_demand, i, t, r, k) for k in m.resources)
        return server_row(m, i, t, r, rents)

    @constraint("11e", "job_slots", "sites", "sites")
    def worth_of_connections(m, i, t, r, p):
        """A connection is not worth more than its traffic.  Column g."""
        traffic = m.transfer_price[r, p] * m.sync_volume[i]
        return m.workers_connect[i, t, r] + m.server_is_connected[i, t, p] <= traffic

    @constraint("11f", "staying_slots", "sites")
    def worth_of_staying(m, i, t, r):
        """Presence pays for being used now and for not starting next.  Column v."""
        return (
            m.presence_bound * m.present_where_used[i, t, r] + m.started_when_new[i, t + 1, r]
            <= m.started_when_new[i, t, r]
        )

    @constraint("11f", "last_slots", "sites")
    def worth_of_presence(m, i, t, r):
        """Presence at departure pays for being used only.  Column v.

        As printed nothing says that μ is 0 after departure; see erratum 4.
        """
        return m.presence_bound * m.present_where_used[i, t, r] <= m.started_when_new[i, t, r]

    @constraint("11g", "job_slots", "sites")
    def deploy_at_most_cost(m, i, t, r):
        """Having been there saves at most the deployment cost.  Column z."""
        return m.started_when_new[i, t, r] <= m.deploy_cost[i]

    @constraint("11h", "slots", "sites", "resources")
    def list_branch(m, t, r, k):
        """Turning the list price off is not worth more than M.  Column u¹."""
        return m.big_m * m.cost_at_list_price[t, r, k] + m.one_branch[t, r, k] <= 0

    @constraint("11i", "slots", "sites", "resources")
    def reduced_branch(m, t, r, k):
        """Turning the discounted price off is not worth more than M.  Column u²."""
        return m.big_m * m.cost_at_reduced_price[t, r, k] + m.one_branch[t, r, k] <= 0

    @objective
    def worth(m):
        """Worth of data, surcharges, servers and price choices, USD.

        As printed the sum over ξ is missing and sums over jobs run over all slots; see erratum 2.
        """
        switches = Sum(m.one_branch[t, r, k] for t in m.slots for r in m.sites for k in m.resources)
        return printed_worth(m) + switches


class PrintedDual(Dual):
    """The dual that the paper prints, with its indices repaired.  mlBroker (11).

    Kept as printed: no ξ in the objective, and (11c), (11d) once per resource instead of summed.
    Repaired, since it would not parse: α and η have one site each, as (8a) and (8j) have one row a
    site; sums run over active jobs; μ is 0 after departure; (11j) means φ and μ of jobs.
    It is no dual of (9): its value, always finite, bounds (9) neither from below nor from above.
    """

    name = "mlbroker.dual_as_printed"

    @constraint("11c", "job_slots", "sites", "resources")
    def worth_of_workers(m, i, t, r, k):
        """Capacity is not worth more than one resource and the links of a worker.  Column y."""
        return worker_row(m, i, t, r, rent(m, m.worker_demand, i, t, r, k))

    @constraint("11d", "job_slots", "sites", "resources")
    def worth_of_server(m, i, t, r, k):
        """A server is not worth more than one of its resources and its links.  Column s."""
        return server_row(m, i, t, r, rent(m, m.server_demand, i, t, r, k))

    @objective
    def worth(m):
        """Worth of data, surcharges and servers, USD."""
        return printed_worth(m)


def lift(form: LinearForm, point: DualPoint, data: Brokerage) -> Floats:
    """Multipliers of ``mlbroker.relaxed[...]`` (not sharp) from its dual point; shape (rows,)."""
    first = data.previous_pair < 0
    busy = np.unique(data.pair_slot)
    # (8l) and (8m) bound from above: their rows have multipliers <= 0
    values: dict[str, Floats] = {
        "enough_workers": point.alpha,
        "all_data_moved": point.beta,
        "cost_at_list_price": point.theta[busy],
        "cost_at_reduced_price": point.rho[busy],
        "one_branch": point.xi[busy],
        "cost_on_chord": np.ones_like(point.xi[busy]),
        "one_server": point.gamma,
        "present_where_used": point.phi_server,
        "present_with_workers": point.phi_worker,
        "present_with_server": point.phi_server,
        "started_at_arrival": point.mu[first],
        "started_when_new": point.mu[~first],
        "workers_connect": point.psi,
        "server_is_connected": point.eta,
        "absent_where_unused": -point.omega,
        "connect_to_server_only": -point.kappa,
    }
    parts = [values[block.name].reshape(-1) for block in form.rows]
    return np.concatenate([np.zeros(0), *parts])


@restatements.register("mlbroker.mlbroker_run")
def restated(certificate: MlbrokerPrices, data: Brokerage) -> Restatement:
    """Complete the guide and lift the dual point."""
    from farkas.certificates.mlbroker import complete  # here: a check of a program needs none

    form = programs.build(certificate.subject).form(data)
    guide = certificate.read_guide(data)
    point = complete(data, guide, certificate.relax, certificate.semantics)
    return form, lift(form, point, data)
