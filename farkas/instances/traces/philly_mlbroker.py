"""Philly jobs as kind mlbroker."""

from farkas.instances.traces.importer import importers
from farkas.instances.traces.jobs_mlbroker import BrokerageOfJobs
from farkas.instances.traces.philly import PhillyTable


@importers.register("philly:mlbroker")
class PhillyBrokerage(BrokerageOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `BrokerageOfJobs`."""
