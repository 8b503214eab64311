"""What is said about the rule."""

from __future__ import annotations

import farkas
from farkas.proofs import Verdict, claim, held, refuted


@claim("ration.first_come_is_best", source="nobody")
def first_come_is_best() -> Verdict:
    """Serving first come first served earns as much as any rule."""
    run = farkas.run("ration/tiny", "ration.first_come")
    best = farkas.evaluate("ration/tiny", "ration.best")["ration.best"]
    if best > run.value:
        return refuted("ration/tiny", best=best, first_come=run.value)
    return held(1, 0.0)
