"""Program dps.offline_lp."""

from __future__ import annotations

from farkas.models.dps.offline import Offline


class OfflineLP(Offline):
    """Linear relaxation of dps.offline, server by server.  DPS (2)."""

    name = "dps.offline_lp"
    integral = False
