"""One program, every solver on this machine: same names, same options, same signs of the duals.

A solver is a string.  What differs is who has a licence, and how long they take; what each of them
claims is held against a bound that needs none of them.
"""

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.errors import NoAnswer, SolverUnavailable
from farkas.forms import check_point
from farkas.instances import library
from farkas.solvers import solve, status

form = programs.build("mlbroker.relaxed[tight]").form(library.load("mlbroker/tiny"))
names = [line.name for line in status() if ":" not in line.availability.detail]
names += ["pyomo:appsi_highs", "cvxpy:CLARABEL"]

print(f"{form.name}: {form.num_rows} rows, {form.num_columns} columns")
print(f"{'solver':18} {'claim':9} {'objective':>11} {'proved bound':>13} {'violation':>10}")
for name in names:
    try:
        answer = solve(form, name, time_limit=60)
    except SolverUnavailable as reason:
        print(f"{name:18} {reason}")
        continue
    violation = check_point(form, answer.point).worst
    try:
        bound = f"{float(exact_bound(form, answer.row_duals)):.9g}"
    except NoAnswer:
        bound = "no duals"
    print(f"{name:18} {answer.claim:9} {answer.objective:11.7g} {bound:>13} {violation:10.1e}")
