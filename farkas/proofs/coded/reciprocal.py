"""Clusters whose speeds are proportional to their rates: level and time differ by a constant."""

from collections.abc import Sequence

from farkas.instances.coded import CodedComputing

#: 1 + h for c = u a = 1: the completion time of one row by one worker of rate 1.
FULL_LOAD = 3.1461932206205825


def reciprocal(
    name: str, description: str, rate: Sequence[Sequence[float]], rows: int, **more: object
) -> CodedComputing:
    """Shift 1/rate and equal rows, so that speeds are proportional to rates."""
    return CodedComputing.build(
        name=name,
        description=description,
        success_probability=0.9,
        masters=[{"name": f"m{index}", "rows": rows} for index in range(len(rate))],
        workers=len(rate[0]),
        rate=rate,
        shift=[[1.0 / u for u in row] for row in rate],
        **more,
    )
