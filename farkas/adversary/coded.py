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


def smaller(data: Plain) -> Iterator[Plain]:
    """Leave out a master or a worker; plans and points that were to be evaluated go first."""
    extra = {name: None for name in ("plans", "sca_point") if data.get(name) is not None}
    if extra:
        yield data | extra
        return
    measured = [] if data.get("measured") is None else [("measured", "law")]
    for master in range(len(data["masters"]) if len(data["masters"]) > 1 else 0):
        yield without(data, master, ("masters",), ("rate",), ("shift",), *measured)
    for worker in range(data["workers"] if data["workers"] > 1 else 0):
        pairs = [("rate", "*"), ("shift", "*"), *((*path, "*") for path in measured)]
        yield without(data, worker, *pairs, count="workers")


shapes.add(
    "coded",
    KindShape(
        sizes={"masters": "num_masters", "workers": "num_workers", "rows": "rows"},
        smallest={"num_masters": 2, "num_workers": 4},
        smaller=smaller,
        implied=implied,
        records="",
        counted=("masters", "workers"),
        witnesses=("coded.simple_greedy", "coded.iterated_greedy", "coded.round_lp"),
    ),
)
