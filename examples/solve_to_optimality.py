"""Solve a program to optimality and prove how good the answer is.

The solver's word is not taken for anything: its point is checked against every row, and the bound
comes from the multipliers of the relaxation, recomputed in exact arithmetic.
"""

import farkas

instance = farkas.load("mlbroker/surplus_worker")

# 1. The integer program (8), solved by HiGHS.
solution = farkas.solve(instance, "mlbroker.offline[strict]")
offline, answer = solution.form, solution.answer.require_optimal()
print(f"{offline.name}: {offline.num_rows} rows, {offline.num_columns} columns")
print(f"  {answer.solver} claims {answer.claim} at {answer.objective:.6g}")
print(f"  its point is {solution.report}")

# 2. Linear relaxations; each bound is a proof, whoever computed the multipliers.
print("proved lower bounds")
for variant in ("printed", "tight", "sharp,strict"):
    relaxed = farkas.solve(instance, f"mlbroker.relaxed[{variant}]", certify=True)
    print(f"  {relaxed.form.name:34} {float(relaxed.bound):.6g}")

# 3. What was decided, by the names of the rules.
workers = offline.values(answer.point, "workers")
server = offline.values(answer.point, "server")
pairs = offline.column_block("workers").axes[0].members
for (job, slot), here, seat in zip(pairs.tolist(), workers, server, strict=True):
    sites = {site: round(count) for site, count in enumerate(here) if count > 0.5}
    print(f"job {job}, slot {slot}: workers by site {sites}, server at site {seat.argmax()}")
