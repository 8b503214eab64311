"""Philly jobs as kind gadget."""

from farkas.instances.traces.importer import importers
from farkas.instances.traces.jobs_gadget import ClusterOfJobs
from farkas.instances.traces.philly import PhillyTable


@importers.register("philly:gadget")
class PhillyCluster(ClusterOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `ClusterOfJobs`."""
