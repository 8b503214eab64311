"""Rows of the Philly trace: jobs of a multi-tenant GPU cluster (Jeon et al., ATC 2019)."""

from collections.abc import Sequence
from typing import ClassVar

from farkas.instances.traces.importer import Path, importers
from farkas.instances.traces.jobs import JobTable, MarketOfJobs, TraceJob
from farkas.instances.traces.jobs_eris import AuctionOfJobs
from farkas.instances.traces.jobs_gadget import ClusterOfJobs
from farkas.instances.traces.jobs_mlbroker import BrokerageOfJobs
from farkas.instances.traces.understood import Account

COLUMNS = ("timestamp", "duration", "num_gpus", "gpu_time", "cluster")


class PhillyTable(JobTable, frozen=True, kw_only=True):
    """An importer of the Philly trace."""

    source: ClassVar[str] = "philly"

    @property
    def origin(self) -> str:
        """The source in words."""
        return "Philly trace"

    @property
    def dated(self) -> bool:
        """Its times are dates."""
        return True

    def read(self, path: Path, dropped: Account) -> Sequence[TraceJob]:
        """Return all jobs in file order; raises `FileProblem` naming the line."""
        return [
            TraceJob(
                submitted=line.time("timestamp"),
                duration=line.nonnegative("duration"),
                num_gpus=line.whole("num_gpus"),
                gpu_time=line.nonnegative("gpu_time"),
                cluster=line.text("cluster"),
            )
            for line in self.complete_lines(path, COLUMNS, COLUMNS, dropped)
        ]


@importers.register("philly:dps")
class PhillyMarket(MarketOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `MarketOfJobs`."""


@importers.register("philly:eris")
class PhillyAuction(AuctionOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `AuctionOfJobs`."""


@importers.register("philly:gadget")
class PhillyCluster(ClusterOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `ClusterOfJobs`."""


@importers.register("philly:mlbroker")
class PhillyBrokerage(BrokerageOfJobs, PhillyTable, frozen=True, kw_only=True):
    """Options of this importer: those of `BrokerageOfJobs`."""
