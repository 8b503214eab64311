"""Problem (2) to the letter: a nonlinear program to read, and to give to SCIP on tiny instances."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from farkas.algebra.formulation import Formulation
from farkas.instances.dps import Market

if TYPE_CHECKING:
    import pyomo.environ as pyo

LABELS = {
    "affordable": "2a",
    "workers_suffice": "2a",
    "ps_suffice": "2a",
    "served_unless": "2a",
    "workers_short": "2a",
    "ps_short": "2a",
    "too_dear": "2a",
    "workers_in_use": "2c",
    "ps_in_use": "2b",
    "all_workers_placed": "2d",
    "all_ps_placed": "2e",
    "idle_workers": "2f",
    "idle_ps": "2g",
}


class AsPrinted(Formulation):
    """Highest payments, problem (2) as printed, its indicator written out.  DPS (2).

    A Pyomo model only, since it multiplies variables: prices and acceptance in the objective and
    in (2a); runtimes, which depend on the placement, and what is held, in (2b), (2c), (2f), (2g).
    The paper calls it an MILP, which dps.offline is: solve that.  The garbled (2b) is read like
    (2c).  A job may also be turned away by a price equal to its budget, as good as a higher one.
    """

    name = "dps.as_printed"
    kind = "dps"
    sense = "max"

    def describe(self) -> str:
        """Say the program in words."""
        families = [f"  ({label}) {name}" for name, label in LABELS.items()]
        words = inspect.getdoc(type(self)) or ""
        return "\n".join([words, "", "max payments", *families])

    def to_pyomo(self, data: Market) -> pyo.ConcreteModel:
        """Pyomo model of the instance; component names as in `LABELS`."""
        import pyomo.environ as pyo

        self.check_kind(data)
        m = pyo.ConcreteModel(name=self.full_name)
        m.jobs = pyo.Set(initialize=range(data.num_jobs))
        m.servers = pyo.Set(initialize=range(data.num_servers))
        m.worker_price = pyo.Var(m.jobs, domain=pyo.NonNegativeReals, doc="p_ik of its type; (2i)")
        m.ps_price = pyo.Var(m.jobs, domain=pyo.NonNegativeReals, doc="p_im of its type; (2i)")
        m.accepted = pyo.Var(m.jobs, domain=pyo.Binary, doc="f")
        m.workers = pyo.Var(m.jobs, m.servers, domain=pyo.NonNegativeIntegers, doc="x; (2h)")
        m.ps = pyo.Var(m.jobs, m.servers, domain=pyo.NonNegativeIntegers, doc="z; (2h)")
        m.alone = pyo.Var(m.jobs, m.servers, domain=pyo.Binary, doc="all of it on this server")
        m.busy_workers = pyo.Var(m.jobs, domain=pyo.NonNegativeReals, doc="y of its worker type")
        m.busy_ps = pyo.Var(m.jobs, domain=pyo.NonNegativeReals, doc="y of its server type")
        for name in ("short_of_workers", "short_of_ps", "dear"):
            m.add_component(name, pyo.Var(m.jobs, domain=pyo.Binary))
        m.payment = pyo.Expression(
            m.jobs,
            rule=lambda m, i: (
                int(data.workers[i]) * m.worker_price[i] + int(data.ps[i]) * m.ps_price[i]
            ),
        )
        m.whole = pyo.Expression(
            m.jobs, rule=lambda m, i: pyo.quicksum(m.alone[i, s] for s in m.servers), doc="q"
        )
        self._acceptance(m, data)
        self._placement(m, data)
        self._usage(m, data)
        m.payments = pyo.Objective(
            expr=pyo.quicksum(m.payment[i] * m.accepted[i] for i in m.jobs), sense=pyo.maximize
        )
        return m

    def _acceptance(self, m: Any, data: Market) -> None:
        """State the indicator of (2a): accepted if and only if all three conditions hold."""
        import pyomo.environ as pyo

        workers = data.worker_capacity[data.worker_type].tolist()
        ps = data.ps_capacity[data.ps_type].tolist()
        asked, asked_ps, budget = data.workers.tolist(), data.ps.tolist(), data.budget.tolist()
        rules = {
            "affordable": lambda m, i: m.payment[i] * m.accepted[i] <= budget[i],
            "workers_suffice": lambda m, i: (
                asked[i] * m.accepted[i] + m.busy_workers[i] <= workers[i]
            ),
            "ps_suffice": lambda m, i: asked_ps[i] * m.accepted[i] + m.busy_ps[i] <= ps[i],
            "served_unless": lambda m, i: (
                m.accepted[i] + m.short_of_workers[i] + m.short_of_ps[i] + m.dear[i] >= 1
            ),
            "workers_short": lambda m, i: (
                m.busy_workers[i] >= (workers[i] - asked[i] + 1) * m.short_of_workers[i]
            ),
            "ps_short": lambda m, i: m.busy_ps[i] >= (ps[i] - asked_ps[i] + 1) * m.short_of_ps[i],
            "too_dear": lambda m, i: m.payment[i] >= budget[i] * m.dear[i],
        }
        for name, rule in rules.items():
            m.add_component(name, pyo.Constraint(m.jobs, rule=rule))

    def _placement(self, m: Any, data: Market) -> None:
        """Place all units, and know which jobs sit on one server alone."""
        import pyomo.environ as pyo

        asked, asked_ps = data.workers.tolist(), data.ps.tolist()

        def all_workers_placed(m, i):
            placed = pyo.quicksum(m.workers[i, s] for s in m.servers)
            return placed == asked[i] * m.accepted[i]

        def all_ps_placed(m, i):
            return pyo.quicksum(m.ps[i, s] for s in m.servers) == asked_ps[i] * m.accepted[i]

        def alone_has_all(m, i, s):
            return m.workers[i, s] + m.ps[i, s] >= (asked[i] + asked_ps[i]) * m.alone[i, s]

        def all_is_alone(m, i, s):
            return m.workers[i, s] + m.ps[i, s] <= asked[i] + asked_ps[i] - 1 + m.alone[i, s]

        m.all_workers_placed = pyo.Constraint(m.jobs, rule=all_workers_placed)
        m.all_ps_placed = pyo.Constraint(m.jobs, rule=all_ps_placed)
        m.alone_has_all = pyo.Constraint(m.jobs, m.servers, rule=alone_has_all)
        m.all_is_alone = pyo.Constraint(m.jobs, m.servers, rule=all_is_alone)

    def _usage(self, m: Any, data: Market) -> None:
        """Count what earlier jobs still hold, in all and on each server."""
        import pyomo.environ as pyo

        def held(j: int, i: int) -> Any:
            """1 iff job j still runs when job i arrives: t_j + τ_j >= t_i, with τ_j from (1)."""
            begin = data.arrival[i]
            whole, spread = (
                int(data.still_held(ends[j], begin))
                for ends in (data.colocated_end, data.spread_end)
            )
            return whole * m.whole[j] + spread * (1 - m.whole[j])

        def busy(units: Any, types: Any, i: int) -> Any:
            same = (j for j in range(i) if types[j] == types[i])
            return pyo.quicksum(held(j, i) * units(j) for j in same)

        def workers_in_use(m, i):
            return m.busy_workers[i] == busy(
                lambda j: int(data.workers[j]) * m.accepted[j], data.worker_type, i
            )

        def ps_in_use(m, i):
            return m.busy_ps[i] == busy(lambda j: int(data.ps[j]) * m.accepted[j], data.ps_type, i)

        def idle_workers(m, i, s):
            installed = int(data.installed_workers[s, data.worker_type[i]])
            in_use = busy(lambda j: m.workers[j, s], data.worker_type, i)
            return m.workers[i, s] <= installed - in_use

        def idle_ps(m, i, s):
            installed = int(data.installed_ps[s, data.ps_type[i]])
            return m.ps[i, s] <= installed - busy(lambda j: m.ps[j, s], data.ps_type, i)

        m.workers_in_use = pyo.Constraint(m.jobs, rule=workers_in_use)
        m.ps_in_use = pyo.Constraint(m.jobs, rule=ps_in_use)
        m.idle_workers = pyo.Constraint(m.jobs, m.servers, rule=idle_workers)
        m.idle_ps = pyo.Constraint(m.jobs, m.servers, rule=idle_ps)
