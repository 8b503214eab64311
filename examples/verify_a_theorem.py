"""Check what a paper claims, and look at the counterexample where it does not hold.

A verdict is proved, held, refuted or not applicable; it refuses to be used as true or false.
"""

from farkas.algebra import programs
from farkas.instances import library
from farkas.proofs import Standing, claims
from farkas.solvers import solve

# 1. Every claim of one paper about prices and rounding.
names = [name for name in claims.names("mlbroker.") if "weight" in name or "price" in name]
for name in names:
    verdict = claims[name].run()
    print(f"{name:38} {claims[name].source:28} {verdict.standing}")

# 2. One that fails: the text says that every worker pays for traffic to its server.
claim = claims["mlbroker.workers_pay_for_the_server"]
verdict = claim.run()
assert verdict.standing is Standing.REFUTED
print(f"\n{claim.source}: {claim.statement.splitlines()[0]}")
print(f"{verdict}")

# 3. Do not believe that either: solve the counterexample both ways.
instance = library.load(str(verdict.counterexample))
for semantics in ("printed", "strict"):
    form = programs.build("mlbroker.offline", semantics=semantics).form(instance)
    print(f"  {form.name:42} {solve(form).require_optimal().objective:.6g}")
