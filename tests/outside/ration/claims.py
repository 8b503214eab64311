"""What is said about the rule."""

from __future__ import annotations

import farkas
from farkas.proofs import Stated, Verdict, claim, held, refuted


@claim("ration.first_come_is_best", source="nobody")
def first_come_is_best() -> Verdict:
    """Serving first come first served earns as much as any rule."""
    run = farkas.run("ration/tiny", "ration.first_come")
    best = farkas.evaluate("ration/tiny", "ration.best")["ration.best"]
    statement = Stated(run.value, ">=", best)
    if statement.holds:
        return held([statement])
    return refuted("ration/tiny", statement, best=best, first_come=run.value)
