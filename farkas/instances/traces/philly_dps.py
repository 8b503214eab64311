"""Philly jobs as kind dps."""

from farkas.instances.traces.importer import importers
from farkas.instances.traces.jobs_dps import MarketOfJobs
from farkas.instances.traces.philly import PhillyTable


@importers.register("philly:dps")
class PhillyMarket(MarketOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `MarketOfJobs`."""
