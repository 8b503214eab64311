"""Write a bound as a VIPR 1.0 file, read it line by line, and check it.

VIPR is a text format for proofs about integer programs that other people's checkers read.  The
reader below is independent of the writer and uses fractions only; no solver is loaded.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from farkas.certificates import check_vipr, write_vipr
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import solve

# max 3x + 2y with x + y <= 4, x + 3y <= 6, x, y >= 0: the point (4, 0) is worth 12.
form = LinearForm(
    name="corner",
    sense="max",
    cost=np.array([3.0, 2.0]),
    matrix=rows_of_dense([[1.0, 1.0], [1.0, 3.0]]),
    row_lower=np.full(2, -np.inf),
    row_upper=np.array([4.0, 6.0]),
    lower=np.zeros(2),
    upper=np.full(2, np.inf),
    integer=np.zeros(2, dtype=bool),
)
answer = solve(form).require_optimal()

with TemporaryDirectory() as folder:
    path = Path(folder) / "corner.vipr"
    bound = write_vipr(form, answer.row_duals, path, point=answer.point)
    text = path.read_text()
    proof = check_vipr(path)
    print(text)
    print(f"written: at most {bound}; checked: between {proof.lower} and {proof.upper}")

    # A file whose multipliers prove less than it says is refused, with the reason.
    path.write_text(text.replace("{ lin 2 1 -1 2 3 }", "{ lin 2 1 -1 2 2 }"))
    try:
        check_vipr(path)
    except NotACertificate as refusal:
        print(f"with a smaller multiplier: {refusal}")
