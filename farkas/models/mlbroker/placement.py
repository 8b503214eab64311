"""The rules of (8) that programs of one slot and of many share, in layers.

Families follow the order of classes, from the last base to the first, and so that of the paper.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy.typing as npt

from farkas.algebra import Param, Program, Sum, Var, constraint, option
from farkas.algebra.formulation import Family, Rule
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.data import declare_data, declare_sets
from farkas.numbers import Floats

if TYPE_CHECKING:
    pass


def priced(label: str, *pricing: str) -> Callable[[Rule], Family]:
    """Make a rule the family, for every slot, site and resource, of programs priced like this."""
    over = ("slots", "sites", "resources")
    return constraint(label, *over, when=lambda program: program.pricing in pricing)


def usage(m, t, r, k):
    """Units of a resource that all jobs together use at a site; h."""
    return Sum(
        m.worker_demand[i, k] * m.workers[i, t, r] + m.server_demand[i, k] * m.server[i, t, r]
        for i in m.jobs_at[t]
    )


def traffic(m):
    """Transfer and synchronisation cost, USD; C1 + C4."""
    return Sum(
        m.transfer_price[o, r] * m.moved[i, t, o, r]
        + m.transfer_price[o, r] * m.sync_volume[i] * m.connected[i, t, o, r]
        for i, t in m.job_slots
        for o in m.sites
        for r in m.sites
    )


def resources(m):
    """Resource cost, USD; C2."""
    return Sum(m.resource_cost[t, r, k] for t in m.slots for r in m.sites for k in m.resources)


class Movement(Program):
    """Where data are trained and what resources cost: (8a) to (8e), and all decisions of (8).

    ``semantics``: "printed" is (8) literally; "strict" adds (8l) and (8m), which the text of
    section 3.2 states but (8) omits.  Subclasses choose how prices enter, how
    presence is linked, and whether variables take whole numbers only.
    """

    kind = "mlbroker"
    sense = "min"
    integral: ClassVar[bool] = True
    semantics: Semantics = option("printed", "strict")

    prices: str
    presence: str

    @property
    def pricing(self) -> str:
        """How the volume discount enters: single, two, choice or chord."""
        return self.prices

    @property
    def linking(self) -> str:
        """How presence at a site follows from workers and server: global (8g) or split."""
        return self.presence

    def declare(self, m: Any, data: Brokerage) -> None:
        """Declare sets, parameters, then decisions."""
        declare_sets(m, data)
        declare_data(m, data, self.semantics)
        m.presence_bound = Param(values=shared.deployment_bound(data, self.semantics))
        self._declare_decisions(m, data)
        self._declare_prices(m, data)

    def decision(self, *sets: Any, most: npt.ArrayLike, reason: str, doc: str) -> Var:
        """Whole numbers up to ``most``, or nonnegative ones for which it is only implied."""
        if self.integral:
            return Var(*sets, integer=True, upper=most, reason=reason, doc=doc)
        return Var(*sets, implied_upper=most, reason=reason, doc=doc)

    def _declare_decisions(self, m: Any, data: Brokerage) -> None:
        most = data.most_workers(self.semantics)[:, None]
        at_site, between = (m.job_slots, m.sites), (m.job_slots, m.sites, m.sites)
        m.workers = self.decision(
            *at_site, most=most, doc="Workers; y.",
            # to each server's site (8j) needs at most s Y of a site's workers, so that Y in all are
            # left of any surplus; they process all data, whatever is moved here
            reason="connections can be cut to Y a site, which keeps (8a), (8j), costs nothing",
        )  # fmt: skip
        m.server = self.decision(*at_site, most=1, reason="(8f)", doc="Parameter server here; s.")
        m.deployed = self.decision(
            *at_site, most=1, doc="Job present at the site; v.",
            reason="clipping at 1 keeps (8g) and raises no difference of (8h)",
        )  # fmt: skip
        m.started = Var(
            *at_site, implied_upper=1, reason="differences of deployed are at most 1",
            doc="Job newly deployed at the site; z, whole whenever v is.",
        )  # fmt: skip
        m.moved = Var(
            *between, implied_upper=data.trained_volume[:, :, None], reason="(8b)",
            doc="Data moved from the first to the second site, GB; q.",
        )  # fmt: skip
        m.connected = Var(
            *between, implied_upper=most[:, :, None], reason="(8i)",
            doc="Workers at the first site served from the second; g.",
        )  # fmt: skip

    def _declare_prices(self, m: Any, data: Brokerage) -> None:
        cap = shared.of_busy_slots(data, data.usage_cap(self.semantics))[:, None, :]
        m.list_price = Param(m.sites, m.resources, values=data.list_price)
        m.reduced_price = Param(m.sites, m.resources, values=data.reduced_price)
        m.surcharge = Param(m.sites, m.resources, values=data.surcharge)
        over = (m.slots, m.sites, m.resources)
        m.resource_cost = Var(
            *over,
            implied_upper=shared.dearest(data, cap),
            reason="the cheapest cost is below list price and surcharge at full usage",
            doc="Cost of a resource at a site, USD; x.",
        )
        if self.pricing == "chord":
            m.slope = Param(*over, values=self._slope(data))
        else:
            self._declare_discount(m, data, cap)

    def _slope(self, data: Brokerage) -> Floats:
        """USD per unit when the price is linear, shape (busy slots, sites, resources)."""
        return shared.of_busy_slots(data, data.chord_slope(self.semantics))

    def _declare_discount(self, m: Any, data: Brokerage, cap: Floats) -> None:
        """Declare what turns one of the two prices off."""
        from farkas.models.mlbroker.discount import declare_big_m  # here: some slots have one M

        declare_big_m(self, m, data)

    @constraint("8a", "job_slots", "sites")
    def enough_workers(m, i, t, r):
        """Workers in a site process all data moved to it."""
        return m.rate[i] * m.workers[i, t, r] >= Sum(m.moved[i, t, o, r] for o in m.sites)

    @constraint("8b", "job_slots", "sites")
    def all_data_moved(m, i, t, o):
        """All data collected at a site are trained somewhere."""
        return Sum(m.moved[i, t, o, r] for r in m.sites) == m.volume[i, t, o]

    @priced("8c", "single", "two")
    def cost_at_list_price(m, t, r, k):
        """Cost is at least usage at list price, unless that branch is off."""
        return (
            m.resource_cost[t, r, k]
            >= m.list_price[r, k] * usage(m, t, r, k) - m.big_m_list[t, r, k] * m.not_list[t, r, k]
        )

    @priced("8d", "single", "two")
    def cost_at_reduced_price(m, t, r, k):
        """Cost is at least usage at the discounted price plus surcharge, unless that is off."""
        return (
            m.resource_cost[t, r, k]
            >= m.reduced_price[r, k] * usage(m, t, r, k)
            + m.surcharge[r, k]
            - m.big_m_reduced[t, r, k] * m.not_reduced[t, r, k]
        )

    @priced("8e", "single", "two")
    def one_branch(m, t, r, k):
        """One of the two prices counts."""
        return m.not_list[t, r, k] + m.not_reduced[t, r, k] == 1


class Presence(Movement):
    """Chords of (7), servers and deployment: (7*), (8f), (8g)."""

    @priced("7*", "chord")
    def cost_on_chord(m, t, r, k):
        """Convex envelope of (7) between no and full usage."""
        return m.resource_cost[t, r, k] == m.slope[t, r, k] * usage(m, t, r, k)

    @constraint("8f", "job_slots")
    def one_server(m, i, t):
        """A job has one parameter server."""
        return Sum(m.server[i, t, r] for r in m.sites) == 1

    @constraint("8g", "job_slots", "sites", when=lambda p: p.linking == "global")
    def present_where_used(m, i, t, r):
        """A job is deployed where it has workers or its server."""
        return m.presence_bound * m.deployed[i, t, r] >= m.workers[i, t, r] + m.server[i, t, r]

    @constraint("8g*", "job_slots", "sites", when=lambda p: p.linking == "split")
    def present_with_workers(m, i, t, r):
        """A job is deployed where it has workers; one half of (8g) with its own bound."""
        return m.most[i, t] * m.deployed[i, t, r] >= m.workers[i, t, r]

    @constraint("8g*", "job_slots", "sites", when=lambda p: p.linking == "split")
    def present_with_server(m, i, t, r):
        """A job is deployed where it has its server; the other half of (8g)."""
        return m.deployed[i, t, r] >= m.server[i, t, r]


class Connections(Movement):
    """Which workers talk to which server: (8i), (8j), and (8l), (8m) of the text."""

    @constraint("8i", "job_slots", "sites")
    def workers_connect(m, i, t, r):
        """Every worker is connected to a server."""
        return Sum(m.connected[i, t, r, p] for p in m.sites) == m.workers[i, t, r]

    @constraint("8j", "job_slots", "sites")
    def server_is_connected(m, i, t, p):
        """At least as many workers as are needed connect to the server's site."""
        return Sum(m.connected[i, t, r, p] for r in m.sites) >= m.needed[i, t] * m.server[i, t, p]

    @constraint("8l", "job_slots", "sites", when=lambda p: p.semantics == "strict")
    def absent_where_unused(m, i, t, r):
        """A job without workers and server at a site leaves it; stated by the text, not in (8)."""
        return m.deployed[i, t, r] <= m.workers[i, t, r] + m.server[i, t, r]

    @constraint("8m", "job_slots", "sites", "sites", when=lambda p: p.semantics == "strict")
    def connect_to_server_only(m, i, t, r, p):
        """Workers connect to the server's site only; stated by the text, not in (8)."""
        return m.connected[i, t, r, p] <= m.most[i, t] * m.server[i, t, p]


class StaticRows(Connections, Presence):
    """The rules of (8) but for what deployment costs."""
