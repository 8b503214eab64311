"""One program, every solver on this machine: same names, same options, same signs of the duals.

A solver is a string.  What differs is who has a licence, and how long they take; what each of them
claims is held against a bound that needs none of them.
"""

import farkas
from farkas.errors import NoAnswer, NotACertificate, SolverUnavailable
from farkas.solvers import status

PROGRAM = "mlbroker.relaxed[tight]"
names = [line.name for line in status() if ":" not in line.availability.detail]
names += ["pyomo:appsi_highs", "cvxpy:CLARABEL"]

print(f"{'solver':18} {'claim':9} {'objective':>11} {'proved bound':>13} {'violation':>10}")
for name in names:
    try:
        solution = farkas.solve("mlbroker/tiny", PROGRAM, solver=name, time_limit=60)
    except SolverUnavailable as reason:
        print(f"{name:18} {reason}")
        continue
    try:
        proved = farkas.solve("mlbroker/tiny", PROGRAM, solver=name, certify=True)
        bound = f"{float(proved.bound):.9g}"
    except (NoAnswer, NotACertificate):
        bound = "no duals"
    answer, worst = solution.answer, solution.report.worst
    print(f"{name:18} {answer.claim:9} {answer.objective:11.7g} {bound:>13} {worst:10.1e}")
