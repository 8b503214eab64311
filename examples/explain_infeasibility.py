"""Ask why a program has no point: few rows that contradict each other, in words, with a proof.

Three jobs of two hours each want to run within three slots of two, two and one machines.
"""

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.api.explain import explain
from farkas.certificates import prove_infeasible
from farkas.solvers import solve


class Rota(Program):
    """Jobs that need hours, slots that hold so many jobs."""

    name = "example.rota"

    def declare(self, m, data):
        """Declare sets, numbers and decisions."""
        hours, machines = data
        m.jobs = Set(range(len(hours)), label="job")
        m.slots = Set(range(len(machines)), label="slot")
        m.hours = Param(m.jobs, values=hours)
        m.machines = Param(m.slots, values=machines)
        m.busy = Var(m.jobs, m.slots, upper=1.0)

    @constraint("1", "jobs")
    def finish(m, j):
        """A job gets its hours."""
        return Sum(m.busy[j, t] for t in m.slots) >= m.hours[j]

    @constraint("2", "slots")
    def room(m, t):
        """A slot holds no more jobs than machines."""
        return Sum(m.busy[j, t] for j in m.jobs) <= m.machines[t]

    @objective
    def work(m):
        """Hours worked."""
        return Sum(m.busy[j, t] for j in m.jobs for t in m.slots)


form = Rota().form(([2.0, 2.0, 2.0, 1.0], [2.0, 2.0, 1.0]))
answer = solve(form)
print(f"{answer.solver} claims {answer.claim}; why?\n")
why = explain(form, ray=answer.raw_ray)
print(why)
print(f"\nproved again without any solver: they miss by {prove_infeasible(form, why.ray)}")
