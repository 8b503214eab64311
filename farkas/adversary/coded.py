"""Masters and workers of coded computation: the values of each pair."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.adversary.shape import KindShape, Plain, Ranges, shapes, without


def implied(given: Ranges) -> Ranges:
    """Let shifts lie where those of the published law do: 1 over the rate."""
    if "rate[][]" not in given or given["rate[][]"][0] <= 0:
        return {}
    low, high = given["rate[][]"]
    return {"shift[][]": (1 / high, 1 / low)}


def mend(data: Plain) -> None:
    """Forbid pairs at rate 0 or without a rate.

    Measured times are not drawn: nothing but coded.distribution_free decides by them, so that it
    has no witness.
    """
    for rates, shifts in zip(data["rate"], data["shift"], strict=True):
        for worker, rate in enumerate(rates):
            if not rate:
                rates[worker] = shifts[worker] = None


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a master or a worker; plans and points that were to be evaluated go first.

    No fewer workers are left than masters, for whom whole workers would be too few in any plan.
    """
    extra = {name: None for name in ("plans", "sca_point") if data.get(name) is not None}
    if extra:
        yield data | extra
        return
    measured = [] if data.get("measured") is None else [("measured", "law")]
    for master in range(len(data["masters"]) if len(data["masters"]) > 1 else 0):
        yield without(data, master, ("masters",), ("rate",), ("shift",), *measured)
    for worker in range(data["workers"] if data["workers"] > len(data["masters"]) else 0):
        pairs = [("rate", "*"), ("shift", "*"), *((*path, "*") for path in measured)]
        yield without(data, worker, *pairs, count="workers")


shapes.add(
    "coded",
    KindShape(
        sizes={"masters": "num_masters", "workers": "num_workers", "rows": "rows"},
        smallest={"num_masters": 2, "num_workers": 4},
        smaller=smaller,
        mend=mend,
        null_at_zero={"rate[][]": "shift[][]"},
        implied=implied,
        records="",
        counted=("masters", "workers"),
        witnesses=("coded.simple_greedy", "coded.iterated_greedy", "coded.round_lp"),
    ),
)
