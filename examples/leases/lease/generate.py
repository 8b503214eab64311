"""Random requests."""

from farkas.instances.base import Count
from farkas.instances.options import Settings


class Published(Settings, frozen=True, kw_only=True):
    """Numbers of requests, machines and slots."""

    requests: Count = 40
    machines: Count = 3
    slots: Count = 12


PRESETS = {"small": {"requests": 7, "machines": 2, "slots": 3}}


def draw(settings, rng):
    """Draw arrivals and units, which are powers of two, and worths near what is asked for."""
    found = []
    for arrival in sorted(rng.integers(0, settings.slots, settings.requests).tolist()):
        slots, units = int(rng.integers(1, 6)), 2 ** int(rng.integers(0, 4))
        worth = max(1, round(units * slots * 10 * float(rng.uniform(0.5, 2.0))))
        found.append({"arrival": arrival, "slots": slots, "units": units, "worth": worth})
    return {"machines": settings.machines, "capacity": 16, "requests": found}
