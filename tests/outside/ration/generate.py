"""Random stocks."""

from __future__ import annotations

from farkas.instances.base import Count
from farkas.instances.options import Settings


class Published(Settings, frozen=True, kw_only=True):
    """Number of requests."""

    requests: Count = 20


PRESETS = {"small": {"requests": 6}}


def draw(settings, rng):
    """Half of what is asked for is there."""
    units = rng.integers(1, 10, settings.requests)
    worth = rng.integers(1, 10, settings.requests)
    requests = [{"units": float(u), "worth": float(w)} for u, w in zip(units, worth, strict=True)]
    return {"units": float(units.sum()) / 2, "requests": requests}
