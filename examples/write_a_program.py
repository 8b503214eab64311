"""Write a program of your own and keep a certificate of its bound that anyone can check.

Rules in Pyomo's syntax are read as sparse arrays, as a Pyomo model and as mathematics.  This one
packs jobs on machines: whole jobs, each at most once, worth as much as possible.
"""

import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from farkas import certificates
from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.relaxations.integrality import relax
from farkas.solvers import solve


@dataclasses.dataclass(frozen=True)
class Cluster:
    """GPUs per machine; GPUs and worth per job."""

    room: tuple[float, ...] = (8.0, 4.0)
    gpus: tuple[float, ...] = (5.0, 4.0, 3.0, 2.0)
    worth: tuple[float, ...] = (10.0, 7.0, 6.0, 3.0)


class Packing(Program):
    """Most valuable jobs that fit on the machines."""

    name = "example.packing"
    sense = "max"

    def declare(self, m, data):
        """Declare sets, numbers and decisions."""
        m.jobs = Set(range(len(data.gpus)), label="job")
        m.machines = Set(range(len(data.room)), label="machine")
        m.gpus = Param(m.jobs, values=data.gpus)
        m.worth = Param(m.jobs, values=data.worth)
        m.room = Param(m.machines, values=data.room)
        m.runs = Var(m.jobs, m.machines, binary=True, doc="Job runs on the machine.")

    @constraint("1", "jobs")
    def once(m, j):
        """A job runs on one machine at most."""
        return Sum(m.runs[j, k] for k in m.machines) <= 1

    @constraint("2", "machines")
    def fits(m, k):
        """The jobs of a machine fit on it."""
        return Sum(m.gpus[j] * m.runs[j, k] for j in m.jobs) <= m.room[k]

    @objective
    def value(m):
        """Worth of the jobs that run."""
        return Sum(m.worth[j] * m.runs[j, k] for j in m.jobs for k in m.machines)

    def example(self):
        """Return what the rules are shown on."""
        return Cluster()


packing = Packing()
form = packing.form(Cluster())
best = solve(form).require_optimal()
print(packing.describe())
model = packing.to_pyomo(Cluster())
print(f"\n{best.solver} claims {best.objective:g}; Pyomo has {model.nvariables()} variables")
duals = solve(relax(form)).row_duals
certificate = certificates.certify(form, duals, point=np.rint(best.point))
with TemporaryDirectory() as folder:
    certificates.write(certificate, Path(folder) / "packing.json")
    proof = certificates.check(certificates.read(Path(folder) / "packing.json"))
print(proof.statement)
print(packing.latex().splitlines()[1])
