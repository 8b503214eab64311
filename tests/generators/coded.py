"""Small random instances of kind coded for tests, some pairs forbidden."""

from __future__ import annotations

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats


def random_coded_computing(
    seed: int, masters: int = 2, workers: int = 4, rows: int = 12, forbid: float = 0.2
) -> CodedComputing:
    """Every master keeps at least one worker; c = u a varies over two decades."""
    rng = np.random.default_rng(seed)
    shape = (masters, workers)
    allowed = rng.random(shape) >= forbid
    allowed[np.arange(masters), rng.integers(0, workers, masters)] = True
    rate = rng.uniform(0.5, 5.0, shape)
    shift = 10.0 ** rng.uniform(-1.5, 0.5, shape) / rate
    return CodedComputing.build(
        success_probability=0.8,
        masters=[{"rows": int(n)} for n in rng.integers(max(1, rows // 2), rows + 1, masters)],
        workers=workers,
        rate=[
            [float(u) if ok else None for u, ok in zip(*p, strict=True)]
            for p in zip(rate, allowed, strict=True)
        ],
        shift=[
            [float(a) if ok else None for a, ok in zip(*p, strict=True)]
            for p in zip(shift, allowed, strict=True)
        ],
    )


def by_speed(speed: list[list[float]], rows: int = 1) -> CodedComputing:
    """Instance whose pairs have these speeds v, 0 for forbidden ones, at work c = 1.

    With c = u a = 1 the patience is h = 2.1461932206205825, so that u = v L (1 + h).
    """
    rate = np.array(speed) * rows * (1 + 2.1461932206205825)
    return CodedComputing.build(
        success_probability=0.8,
        masters=[{"rows": rows}] * len(speed),
        workers=len(speed[0]),
        rate=[[u or None for u in row] for row in rate.tolist()],
        shift=[[1 / u if u else None for u in row] for row in rate.tolist()],
    )


def random_speed(seed: int, masters: int = 3, workers: int = 8) -> Floats:
    """Speeds in [0.2, 1], a sixth of them 0."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 1.0, (masters, workers)) * (rng.random((masters, workers)) < 0.85)


def tied_speed(seed: int, masters: int = 3, workers: int = 6) -> Floats:
    """Speeds 0, 1 and 2: sums are exact and often equal."""
    return np.random.default_rng(seed).integers(0, 3, (masters, workers)).astype(float)
