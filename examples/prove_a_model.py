"""Prove the optimum of a model of your own, and check the proof without any solver.

A file is read number by number: 0.1 is a tenth, not the double nearest to it.  The solver's answer
is a claim; what is proved stands beside it, with a certificate that is checked in fractions alone.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import farkas

MODEL = """\
maximize
 profit: 5 chairs + 4 tables + 0.1 polish
subject to
 wood: 6 chairs + 4 tables <= 24
 time: chairs + 2 tables <= 6
 room: chairs + polish <= 3.3
generals
 chairs tables
end
"""

with TemporaryDirectory() as folder:
    path = Path(folder) / "shop.lp"
    path.write_text(MODEL)

    # 1. The exact optimum, and what became of the solver's word.
    found = farkas.prove(path)
    print(found.statement)
    print({name: str(x) for name, x in found.values().items()})
    print(found.claim)

    # 2. The certificate, checked with the model read again.
    farkas.save(found, Path(folder) / "shop.json")
    print(farkas.check(Path(folder) / "shop.json", model=path).statement)

    # 3. The same file as doubles is another program with another optimum.
    print(farkas.prove(path, numbers="binary").statement)

    # 4. What has no point is proved to have none; the rows are named.
    path.write_text(MODEL.replace("generals", " deal: tables >= 4\ngenerals"))
    empty = farkas.prove(path)
    print(empty.statement)
    print("; ".join(empty.contradiction()))
