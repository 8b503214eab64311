"""Philly jobs as kind eris."""

from farkas.instances.traces.importer import importers
from farkas.instances.traces.jobs_eris import AuctionOfJobs
from farkas.instances.traces.philly import PhillyTable


@importers.register("philly:eris")
class PhillyAuction(AuctionOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `AuctionOfJobs`."""
