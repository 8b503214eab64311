"""What bounds integer programs of kind mlbroker."""

from farkas.algebra.formulation import Formulation
from farkas.offline.bounded_by import bounded_by


@bounded_by.register("mlbroker.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name the relaxations on the convex envelope, and the variant whose own one is tightest."""
    semantics = program.variant["semantics"]
    tight = f"mlbroker.relaxed[tight,{semantics}]"
    sharp = ("mlbroker.relaxed[sharp,strict]",) if semantics == "strict" else ()
    same = f"mlbroker.offline[{semantics},choice,split]"
    return tight, *sharp, *((same,) if program.full_name != same else ())
