"""The rules of (8) in layers, and programs mlbroker.offline, one_shot and recourse.

Families follow the order of classes, from the last base to the first, and so that of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from farkas.algebra import (
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
    option,
)
from farkas.algebra.formulation import Family, Rule
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.data import (
    PlacedWorkers,
    Snapshot,
    declare_data,
    declare_sets,
    snapshot,
)
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    from farkas.solvers.answer import Answer


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


def deployments(m):
    """Deployment cost, USD; C3."""
    return Sum(m.deploy_cost[i] * m.started[i, t, r] for i, t in m.job_slots for r in m.sites)


def resources(m):
    """Resource cost, USD; C2."""
    return Sum(m.resource_cost[t, r, k] for t in m.slots for r in m.sites for k in m.resources)


class Movement(Program):
    """Where data are trained and what resources cost: (8a) to (8e), (7), and all decisions of (8).

    ``semantics``: "printed" is (8) literally; "strict" adds (8l) and (8m), which the text of
    section 3.2 states.  Subclasses choose prices, links of presence, and what is whole.
    """

    kind = "mlbroker"
    sense = "min"
    integral: ClassVar[bool] = True
    semantics: Semantics = option("printed", "strict")

    prices: str
    presence: str

    @property
    def pricing(self) -> str:
        """How the volume discount enters: single, two or chord."""
        return self.prices

    @property
    def linking(self) -> str:
        """How presence at a site follows from workers and server: global (8g) or split."""
        return self.presence

    @property
    def counted(self) -> bool:
        """Whether connections take whole numbers only, as in (8k)."""
        return False

    def declare(self, m: Any, data: Brokerage) -> None:
        """Declare sets, parameters, then decisions."""
        self._declare(m, data)

    def _declare(self, m: Any, data: Brokerage, slope: Floats | None = None) -> None:
        declare_sets(m, data)
        declare_data(m, data, self.semantics)
        m.presence_bound = Param(values=data.deployment_bound(self.semantics))
        self._declare_decisions(m, data)
        self._declare_prices(m, data, slope)

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
        doc = "Workers at the first site served from the second; g."
        if self.counted:
            m.connected = self.decision(*between, most=most[:, :, None], reason="(8i)", doc=doc)
        else:
            m.connected = Var(*between, implied_upper=most[:, :, None], reason="(8i)", doc=doc)

    def _declare_prices(self, m: Any, data: Brokerage, slope: Floats | None = None) -> None:
        """Declare prices, linear ones by busy slot, site and resource; those of chords if None."""
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
            chord = shared.of_busy_slots(data, data.chord_slope(self.semantics))
            m.slope = Param(*over, values=chord if slope is None else slope)
        else:
            self._declare_discount(m, data)

    def _declare_discount(self, m: Any, data: Brokerage) -> None:
        """Declare the constants of (8c) and (8d), and what turns each off."""
        if self.pricing == "single":
            first = second = np.array(data.valid_big_m(self.semantics))
        else:
            both = data.two_big_ms(self.semantics)
            first, second = (shared.of_busy_slots(data, values) for values in both)
        over = (m.slots, m.sites, m.resources)
        m.big_m_list = Param(*over, values=first)
        m.big_m_reduced = Param(*over, values=second)
        list_doc = "Turns the list price off; u¹, on when the discount counts."
        m.not_list = self.decision(*over, most=1, reason="(8e)", doc=list_doc)
        reduced_doc = "Turns the discounted price off; u²."
        m.not_reduced = self.decision(*over, most=1, reason="(8e)", doc=reduced_doc)

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


class RelaxationRules(Movement):
    """The rules of (8) in nonnegative variables: as printed, or on the chord and split by job."""

    integral: ClassVar[bool] = False
    relax: str

    @property
    def pricing(self) -> str:
        """Single constant as printed, or chord."""
        return "single" if self.relax == "printed" else "chord"

    @property
    def linking(self) -> str:
        """Global constant as printed, or split."""
        return "global" if self.relax == "printed" else "split"


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


class EntryRules(Movement):
    """Where a job is deployed anew: (8h)."""

    @constraint("8h", "first_slots", "sites")
    def started_at_arrival(m, i, t, r):
        """Every deployment at arrival is new."""
        return m.started[i, t, r] >= m.deployed[i, t, r]

    @constraint("8h", "later_slots", "sites")
    def started_when_new(m, i, t, r):
        """A deployment is new where the job was absent one slot before."""
        return m.started[i, t, r] >= m.deployed[i, t, r] - m.deployed[i, t - 1, r]


class PlacementProgram(Connections, EntryRules, Presence):
    """Where data, workers and parameter servers go in every slot.  mlBroker (8)."""

    @objective
    def cost(m):
        """Transfer, resource, deployment and synchronisation cost, USD; C1 + C2 + C3 + C4."""
        return traffic(m) + resources(m) + deployments(m)


class Offline(PlacementProgram):
    """Cheapest placement when all data volumes are known.  mlBroker (8).

    Every variant of one ``semantics`` has the same optimum; they differ in the bound of their
    linear relaxations and in how fast they solve.  ``prices`` writes the discount (7) with a
    single constant M, or with two constants per site, resource and slot, which relax to the convex
    envelope.  ``presence`` writes (8g) with the global constant U
    or split in two rows with the job's own bound.  ``presence="whole"`` is (8g) with U, and g takes
    whole numbers as (8k) says.  Other variants leave g continuous: where workers and servers are
    whole, (8i), (8j) and (8m) are those of a transport, and some optimal g is whole.
    """

    name = "mlbroker.offline"
    prices: str = option("single", "two")
    presence: str = option("global", "split", "whole")

    @property
    def linking(self) -> str:
        """Global with whole connections, too."""
        return "global" if self.counted else self.presence

    @property
    def counted(self) -> bool:
        """Whether connections take whole numbers only, as in (8k)."""
        return self.presence == "whole"


class OneShot(PlacementProgram):
    """Cheapest integer placement of one slot, given where jobs were before.  (8), (8l), (8m).

    It sees neither past costs nor future data; the baselines one_shot (with discounts) and oasis
    (without, so that jobs do not meet) solve it slot by slot.  On a whole instance the program
    is that of its first busy slot.  Staying deployed is free, so the deployment cost falls on
    sites where the job was not.
    """

    name = "mlbroker.one_shot"
    semantics: Any = option("strict")
    prices, presence = "two", "split"

    def declare(self, m: Any, data: Brokerage | Snapshot) -> None:
        """Declare the rules of (8) for one slot, and who was where before."""
        now = data if isinstance(data, Snapshot) else first_busy_slot(data)
        self._declare(m, now.market)
        m.deployed_before = Param(m.job_slots, m.sites, values=now.deployed)

    @constraint("8h", "job_slots", "sites")
    def started_when_new(m, i, t, r):
        """A deployment is new where the job was absent one slot before."""
        return m.started[i, t, r] >= m.deployed[i, t, r] - m.deployed_before[i, t, r]

    started_at_arrival: Any = None


def placement(form: LinearForm, answer: Answer) -> tuple[Ints, Ints]:
    """Read workers, shape (jobs, sites), and servers, shape (jobs,)."""
    shape = form.column_block("server").shape
    workers = np.round(form.values(answer.point, "workers")).astype(np.int64)
    server = np.asarray(form.values(answer.point, "server"))
    return workers.reshape(shape), np.argmax(server.reshape(shape), axis=1)


def first_busy_slot(data: Brokerage) -> Snapshot:
    """Return the first slot with jobs, nothing deployed before."""
    slots = shared.busy_slots(data)
    return snapshot(data, int(slots[0]) if len(slots) else 0)


class Recourse(Program):
    """Cheapest movement of data to workers that have been placed.  mlBroker P_rt, C1.

    The other decisions of P_rt follow in closed form; see
    :func:`farkas.online.mlbroker.environment.recourse_costs`.  On an instance without decisions the
    program takes those of :meth:`PlacedWorkers.checkpoint`.
    """

    name = "mlbroker.recourse"
    kind = "mlbroker"
    sense = "min"

    def declare(self, m: Any, data: Brokerage | PlacedWorkers) -> None:
        """Declare lanes from sites with data to sites with workers."""
        placed = data if isinstance(data, PlacedWorkers) else PlacedWorkers.checkpoint(data)
        volume = placed.trained_volume()
        market = placed.instance
        pairs = np.column_stack([market.pair_job, market.pair_slot])
        full, manned = volume > 0, placed.workers > 0
        word = ("job", "slot", "site")
        m.sites = Set(range(market.num_sites), label="site")
        m.job_slots = Set(pairs, label=("job", "slot"))
        m.origins = Set(_members(pairs, full), label=word)
        m.targets = Set(_members(pairs, manned), label=word)
        lanes = full[:, :, None] & manned[:, None, :]
        m.lanes = Set(_members(pairs, lanes), label=(*word, "site"))
        m.origins_of = IndexedSet(m.job_slots, [np.flatnonzero(f) for f in full], label="site")
        m.targets_of = IndexedSet(m.job_slots, [np.flatnonzero(w) for w in manned], label="site")
        m.volume = Param(m.job_slots, m.sites, values=volume)
        m.capacity = Param(m.job_slots, m.sites, values=placed.capacity())
        m.transfer_price = Param(m.sites, m.sites, values=market.transfer)
        m.moved = Var(
            m.lanes,
            implied_upper=np.broadcast_to(volume[:, :, None], lanes.shape)[lanes],
            reason="(8b)",
            doc="Data moved from the first to the second site, GB; q.",
        )

    @constraint("8a", "targets")
    def enough_workers(m, i, t, r):
        """Workers in a site process all data moved to it."""
        return Sum(m.moved[i, t, o, r] for o in m.origins_of[i, t]) <= m.capacity[i, t, r]

    @constraint("8b", "origins")
    def all_data_moved(m, i, t, o):
        """All data collected at a site are trained somewhere."""
        return Sum(m.moved[i, t, o, r] for r in m.targets_of[i, t]) == m.volume[i, t, o]

    @objective
    def transfer(m):
        """Transfer cost, USD; C1."""
        return Sum(m.transfer_price[o, r] * m.moved[i, t, o, r] for i, t, o, r in m.lanes)


def _members(pairs: Ints, mask: Bools) -> Ints:
    """Rows (job, slot, site, ...) where ``mask``, shape (pairs, sites, ...), holds."""
    found = np.nonzero(mask)
    return np.column_stack([pairs[found[0]], *found[1:]])
