"""Solve a program to optimality and prove how good the answer is.

The solver's word is not taken for anything: its point is checked against every row, and the bound
comes from the multipliers of the relaxation, recomputed in exact arithmetic.
"""

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.forms import check_point
from farkas.instances import library
from farkas.solvers import solve

instance = library.load("mlbroker/surplus_worker")

# 1. The integer program (8), solved by HiGHS.
offline = programs.build("mlbroker.offline[strict]").form(instance)
answer = solve(offline).require_optimal()
report = check_point(offline, answer.point)
print(f"{offline.name}: {offline.num_rows} rows, {offline.num_columns} columns")
print(f"  {answer.solver} claims {answer.claim} at {answer.objective:.6g}")
print(f"  its point is {report}")

# 2. Linear relaxations; each bound is a proof, whoever computed the multipliers.
print("proved lower bounds")
for variant in ("printed", "tight", "sharp,strict"):
    relaxed = programs.build(f"mlbroker.relaxed[{variant}]").form(instance)
    bound = exact_bound(relaxed, solve(relaxed).row_duals)
    print(f"  {relaxed.name:34} {float(bound):.6g}")

# 3. What was decided, by the names of the rules.
workers = offline.values(answer.point, "workers")
server = offline.values(answer.point, "server")
pairs = offline.column_block("workers").axes[0].members
for (job, slot), here, seat in zip(pairs.tolist(), workers, server, strict=True):
    sites = {site: round(count) for site, count in enumerate(here) if count > 0.5}
    print(f"job {job}, slot {slot}: workers by site {sites}, server at site {seat.argmax()}")
