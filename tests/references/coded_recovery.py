"""Distribution of the results a master holds, worker by worker: what `recovery.counts` computes."""

import numpy as np


def by_counts(loads: np.ndarray, success: np.ndarray, rows: int) -> float:
    """P[Σ loads of successful workers >= rows] for whole loads, from the law of min(Σ, rows)."""
    mass = np.zeros(rows + 1)
    mass[0] = 1.0
    for load, chance in zip(loads.tolist(), success.tolist(), strict=True):
        moved = mass * chance
        mass = mass - moved
        stays = max(rows - load, 0)
        mass[rows] += moved[stays:].sum()
        mass[load:rows] += moved[:stays]
    return float(mass[rows])


def printed_results(data, share, loads, time):
    """Expected results of each master as (6) prints them: negative where t < a l."""
    found = np.zeros(len(share))
    for m, n in np.argwhere(data.allowed & (share > 0) & (loads > 0)).tolist():
        late = time / loads[m, n] - data.shifts[m, n]
        found[m] += share[m, n] * loads[m, n] * -np.expm1(-data.rates[m, n] * late)
    return found
