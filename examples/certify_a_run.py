"""Run online algorithms on one instance and certify how far each can be from the optimum.

The optimum is not known and need not be: a dual point rebuilt from the run bounds it from below.
The certificate is a file; checking it again takes no solver.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import farkas
from farkas.online import read_run

instance = farkas.generate("mlbroker", "small", seed=0)

run = farkas.run(instance, "mlbroker.fractional")
assert run.certificate is not None
print(f"{run.algorithm} on {run.instance}")
print(f"  cost          {run.value:.6g} USD")
print(f"  proved bound  {float(run.certificate):.6g} USD  ({run.certificate.method})")
print(f"  ratio         {run.ratio:.4f}, whatever the optimum is")

with TemporaryDirectory() as folder:
    path = Path(folder) / "run.json"
    farkas.save(run, path)
    again = read_run(path)
    print(f"  kept in a file of {path.stat().st_size} bytes; equal when read: {again == run}")
    proof = farkas.check(path, instance)
    print(f"  proved again: {proof.statement}")

found = farkas.compare(instance)
print(f"\nall of the kind against the best bound, {float(found.bound):.6g} USD")
for entry in found.entries:
    ratio = "-" if entry.ratio is None else f"{entry.ratio:.4f}"
    print(f"  {entry.algorithm:20} {entry.value:10.6g}  {ratio:>7}  {entry.note}")
