"""How large instances are, in parts that can be left out."""

from __future__ import annotations

from farkas.instances import Instance

COUNTED = {
    "coded": ("masters", "workers"),
    "dps": ("jobs", "server_workers"),
    "eris": ("jobs", "sites", "slots"),
    "gadget": ("jobs", "nodes", "horizon"),
    "mlbroker": ("jobs", "num_sites", "num_slots"),
}
"""By kind, fields whose numbers and lengths add up."""


def parts(instance: Instance) -> int:
    found = (getattr(instance, name) for name in COUNTED[instance.kind])
    return sum(part if isinstance(part, int) else len(part) for part in found)
