"""Program coded.chance as printed: P1 with (3b) written out over the subsets of workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import option
from farkas.algebra.formulation import Formulation, first_line
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.surrogate import require_served

if TYPE_CHECKING:
    import pyomo.environ as pyo

MOST_WORKERS = 12
"""Workers of a master whose subsets are written out."""


class Chance(Formulation):
    """Every master has its rows in time with a given probability.  Coded (3), P1.

    The text calls (3b) inexpressible; it is a sum over the subsets of workers whose loads suffice,
    and a binary variable says of each whether they do.  Non-convex, for Pyomo only:
    `farkas.models.coded.chance` evaluates plans of any size, and finds the optimum of tiny
    instances; `farkas.models.coded.chance_bounds` bounds it at any size.
    """

    name = "coded.chance"
    kind = "coded"
    sense = "min"
    workers: str = option("shared", "dedicated")

    def describe(self) -> str:
        """Say the program in words."""
        share = "k in [0, 1]" if self.workers == "shared" else "k in {0, 1}"
        return "\n".join(
            [
                first_line(self),
                "",
                "min time: t, by which every master has its rows.",
                "  (3b) sets_that_are_enough for every (masters, sets of workers): Only a set "
                "whose loads add up to the master's rows is enough: sum of l >= L z.",
                "  (3b) in_time_with_probability for every (masters): With probability ρ the "
                "workers that are done make up such a set: sum over sets of z times the product "
                "of p inside and 1 - p outside >= ρ, where p = k P[T <= t] and "
                "P[T <= t] = 1 - exp(-(u/l)(t - a l)) for t >= a l, else 0.",
                "  (3c) one_master_per_worker for every (workers): Shares sum to at most 1.",
                f"  (3d) {share}; l = 1, 2, ..., an unused pair having k = 0.",
                "",
                "For Pyomo only.  `farkas evaluate FILE coded.chance.dedicated` finds the optimum "
                "of tiny instances, farkas.models.coded.chance_bounds an interval at any size.",
            ]
        )

    def latex(self) -> str:
        """Write the program as a LaTeX ``align`` block."""
        share = "[0,1]" if self.workers == "shared" else r"\{0,1\}"
        lines = [
            r"\min \quad & t \tag{3a}",
            r"& \sum_{S \subseteq \Omega:\, \sum_{n \in S} l_{m,n} \ge L_{m}} \;"
            r"\prod_{n \in S} p_{m,n} \prod_{n \notin S} (1 - p_{m,n}) \ge \rho"
            r" \quad \forall m \in masters \tag{3b}",
            r"& p_{m,n} = k_{m,n} \left(1 - e^{-\frac{u_{m,n}}{l_{m,n}}"
            r"\max(0,\, t - a_{m,n} l_{m,n})}\right)"
            r" \quad \forall m \in masters,\ n \in workers \tag{2}",
            r"& \sum_{m} k_{m,n} \le 1 \quad \forall n \in workers \tag{3c}",
            rf"& k_{{m,n}} \in {share},\ l_{{m,n}} \in \mathbb{{N}},\ t \in \mathbb{{R}}_{{+}}"
            r" \tag{3d}",
        ]
        inside = " \\\\\n".join(lines)
        return f"\\begin{{align}}\n{inside}\n\\end{{align}}"

    def to_pyomo(self, data: CodedComputing) -> pyo.ConcreteModel:
        """Pyomo model with k, l, t and z; forbidden pairs have no variables.

        A load is 1 to L: more is never useful, and 0 is a share of 0.

        Raises
        ------
        NotApplicable
            When more than twelve workers may serve a master, or none.
        """
        import pyomo.environ as pyo

        self.check_kind(data)
        require_served(data)
        mine = [np.flatnonzero(row).tolist() for row in data.allowed]
        most = max(map(len, mine))
        if most > MOST_WORKERS:
            raise NotApplicable(
                f"2^{most} sets of workers are too many to write out; at most {MOST_WORKERS} "
                "workers a master"
            )
        m = pyo.ConcreteModel(name=self.full_name)
        m.pairs = pyo.Set(dimen=2, initialize=[(i, n) for i, own in enumerate(mine) for n in own])
        m.share = pyo.Var(
            m.pairs, domain=pyo.UnitInterval if self.workers == "shared" else pyo.Binary
        )
        m.rows_sent = pyo.Var(
            m.pairs,
            domain=pyo.PositiveIntegers,
            bounds=lambda m, i, n: (1, int(data.rows[i])),
            initialize=1,
        )
        m.time = pyo.Var(domain=pyo.NonNegativeReals, initialize=1)
        sets = [(i, s) for i, own in enumerate(mine) for s in range(1, 1 << len(own))]
        m.sets = pyo.Set(dimen=2, initialize=sets)
        m.enough = pyo.Var(m.sets, domain=pyo.Binary, initialize=0)

        def returned(i: int, n: int) -> Any:
            late = m.time - data.shifts[i, n] * m.rows_sent[i, n]
            chance = 1 - pyo.exp(-data.rates[i, n] * late / m.rows_sent[i, n])
            return m.share[i, n] * pyo.Expr_if(IF=late >= 0, THEN=chance, ELSE=0.0)

        m.returned = pyo.Expression(m.pairs, rule=lambda m, i, n: returned(i, n))

        def members(i: int, bits: int) -> list[int]:
            return [n for bit, n in enumerate(mine[i]) if bits >> bit & 1]

        def suffices(m: Any, i: int, bits: int) -> Any:
            sent = sum(m.rows_sent[i, n] for n in members(i, bits))
            return sent >= float(data.rows[i]) * m.enough[i, bits]

        def in_time(m: Any, i: int) -> Any:
            total = 0
            for bits in range(1, 1 << len(mine[i])):
                inside = set(members(i, bits))
                chance = pyo.prod(
                    m.returned[i, n] if n in inside else 1 - m.returned[i, n] for n in mine[i]
                )
                total += m.enough[i, bits] * chance
            return total >= data.success_probability

        def one_master(m: Any, n: int) -> Any:
            found = [m.share[i, n] for i, own in enumerate(mine) if n in own]
            return sum(found) <= 1 if found else pyo.Constraint.Skip

        m.sets_that_are_enough = pyo.Constraint(m.sets, rule=suffices, doc="(3b)")
        m.in_time_with_probability = pyo.Constraint(
            range(data.num_masters), rule=in_time, doc="(3b)"
        )
        m.one_master_per_worker = pyo.Constraint(range(data.workers), rule=one_master, doc="(3c)")
        m.finish = pyo.Objective(expr=m.time, sense=pyo.minimize, doc="(3a)")
        return m
