"""Windows of public traces on which the search for the optimum is measured.

A *series* holds windows that differ in their number of jobs, their begin and the importer's seed
alone; time grows along its jobs.  Three begins of three seeds each show how much a row
depends on where it was cut; where that would take hours, one seed stands for three.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import farkas

#: Roles of the columns of Alibaba's list of pods.
POD_COLUMNS = {"submit": "creation_time", "gpus": "num_gpu", "end": "deletion_time"}
#: The same; classes of quality of service are tenants, since the list names no others.
BY_QUALITY = {**POD_COLUMNS, "group": "qos"}
DAY, THREE_DAYS, WEEK = 24, 72, 168
#: Begins in Philly; the first is that of the first window with an average number of jobs.
EARLIEST = {"first busy": None, "4 Oct": "2017-10-04 00:00", "10 Oct": "2017-10-10 00:00",
            "20 Oct": "2017-10-20 00:00"}  # fmt: skip
BUSY = ("4 Oct", "10 Oct", "20 Oct")
#: Begins in Alibaba's list, whose pods come between days 115 and 149 but for twenty.
AFTER_DAYS = {f"day {days}": 86_400.0 * days for days in (118, 121, 124, 128, 139)}
SEEDS = (0, 1, 2)
#: Six regions of a cloud; the file lies in the folder of traces.
REGION: Mapping[str, Any] = {"prices": "prices/gpu_prices.csv", "sites": 6}


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """Jobs of a trace, and what the importer is told of them."""

    kind: str
    series: str
    trace: str
    begin: str  #: A key of `EARLIEST` or `AFTER_DAYS`.
    jobs: int  #: At most so many, the earliest.
    seed: int  #: Of the importer.
    seconds: float  #: Limit of wall time.
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the file that keeps what was measured."""
        words = f"{self.kind} {self.series} {self.jobs} {self.begin} seed {self.seed}"
        return words.replace(",", "").replace(".", "").replace(" ", "_")

    def instance(self, data: Path) -> Any:
        """Import it from the folder of traces."""
        options = {"jobs": self.jobs, **self.options}
        if "prices" in options:
            options["prices"] = str(data / str(options["prices"]))
        if self.trace == "philly":
            options["start"] = EARLIEST[self.begin]
            table = data / "philly" / "philly.csv"
        else:
            options["start"] = AFTER_DAYS[self.begin]
            table = data / "alibaba" / "openb_pod_list_default.csv"
        source = "philly" if self.trace == "philly" else "csv"
        return farkas.import_trace(source, table, self.kind, seed=self.seed, **options).instance


def windows(kind: str) -> list[Window]:
    """All windows of a kind, small ones first."""
    return sorted(_WINDOWS[kind](), key=lambda window: window.jobs)


def _each(
    kind: str,
    series: str,
    trace: str,
    begins: Sequence[str],
    sizes: Mapping[int, Sequence[int]],
    seconds: float,
    **options: Any,
) -> Iterator[Window]:
    """Windows of a series; ``sizes`` are seeds by number of jobs."""
    for jobs, seeds in sizes.items():
        for begin in begins:
            for seed in seeds:
                yield Window(kind, series, trace, begin, jobs, seed, seconds, options)


def _gadget() -> Iterator[Window]:
    days = ("first busy", "10 Oct", "20 Oct")
    yield from _each("gadget", "Philly, a day", "philly", days,
                     {100: SEEDS, 312: SEEDS, 908: SEEDS}, 60.0, slots=DAY)  # fmt: skip
    yield from _each("gadget", "Philly, three days", "philly", days, {2_465: SEEDS}, 400.0,
                     slots=THREE_DAYS)  # fmt: skip
    yield from _each("gadget", "Philly, three days", "philly", days[1:], {5_000: SEEDS}, 400.0,
                     slots=THREE_DAYS)  # fmt: skip
    yield from _each("gadget", "Alibaba, a week", "alibaba", ("day 118", "day 128", "day 139"),
                     {100: SEEDS, 312: SEEDS, 908: (0,)}, 60.0,
                     slots=WEEK, map=POD_COLUMNS)  # fmt: skip


def _eris() -> Iterator[Window]:
    sizes = dict.fromkeys((156, 312, 625, 1_250, 2_500), SEEDS) | {5_000: (0,)}
    yield from _each("eris", "Philly, three days", "philly", BUSY, sizes, 600.0,
                     slots=THREE_DAYS, scale=0.05)  # fmt: skip
    later = ("day 118", "day 121", "day 124")
    for scale, seeds in ((0.5, SEEDS), (0.2, (0,))):
        yield from _each("eris", f"Alibaba, {scale} of the GPUs", "alibaba", later,
                         {156: seeds, 625: seeds, 2_500: (0,), 4_700: (0,)}, 600.0,
                         slots=600, scale=scale, sites=4, map=BY_QUALITY)  # fmt: skip


def _dps() -> Iterator[Window]:
    sizes = dict.fromkeys((100, 300, 1_250, 2_500, 5_000), SEEDS)
    yield from _each("dps", "Philly, 5 minutes a slot", "philly", BUSY, sizes, 600.0)


def _mlbroker() -> Iterator[Window]:
    days = ("first busy", "10 Oct", "20 Oct")
    for scale in (1.0, 0.02):
        yield from _each("mlbroker", f"Philly, a day, thresholds x {scale}", "philly", days,
                         dict.fromkeys((100, 500, 908), SEEDS), 120.0,
                         slots=DAY, threshold_scale=scale, **REGION)  # fmt: skip
    yield from _each("mlbroker", "Philly, a week", "philly", days,
                     {1_250: (0,), 2_500: (0,), 5_000: (0,)}, 600.0,
                     slots=WEEK, **REGION)  # fmt: skip
    yield from _each("mlbroker", "Alibaba, 25 days", "alibaba", ("day 118", "day 121", "day 124"),
                     {100: SEEDS, 625: SEEDS, 2_500: (0,), 5_000: (0,)}, 600.0,
                     slots=600, map=POD_COLUMNS, **REGION)  # fmt: skip


_WINDOWS = {"gadget": _gadget, "eris": _eris, "dps": _dps, "mlbroker": _mlbroker}
KINDS = tuple(_WINDOWS)
