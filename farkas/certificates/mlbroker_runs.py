"""What bounds runs of a broker."""

from __future__ import annotations

import functools

from farkas.certificates.runs import Options, RunBound, run_bounds
from farkas.instances.mlbroker import FRACTIONAL


def _relaxed(relax: str, semantics: str, options: Options, algorithm: str, _: object) -> bool:
    """Whether runs are points of a variant: fractional ones of the printed are not of the tight."""
    if semantics == "strict" and options.get("semantics") != "strict":
        return False  # printed semantics allow more than (8l), (8m) do
    return relax == "printed" or algorithm not in FRACTIONAL or options.get("relax") == "tight"


def _whole(options: Options, algorithm: str, _: object) -> bool:
    """Whether runs decide whole workers: they are paid for as strict semantics say, always."""
    return algorithm not in FRACTIONAL


run_bounds.add("mlbroker", (
    *(
        RunBound("mlbroker_run", f"mlbroker.relaxed[{r},{s}]", functools.partial(_relaxed, r, s))
        for r in ("printed", "tight") for s in ("printed", "strict")
    ),
    *(
        RunBound(tag, "mlbroker.offline[strict,choice,split]", _whole)
        for tag in ("mlbroker_slots", "mlbroker_sites")
    ),
))  # fmt: skip
