"""Instances with more of something, and which way an optimum may go."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.metamorphic.exceptions import Exempt
from tests.metamorphic.symmetries import Data


@dataclasses.dataclass(frozen=True)
class Growth:
    """A change with the direction of optima."""

    change: Callable[[Data], None]  #: What is done to an instance.
    way: int  #: 1 where optima never fall, -1 where they never rise.
    times: float = 1.0  #: The new optimum is held to this multiple of the old one.


def _twice(table: list[list[Any]]) -> None:
    for row in table:
        row[:] = [entry and 2 * entry for entry in row]


def _again(jobs: list[Any]) -> None:
    """Every job twice, side by side."""
    jobs[:] = [copy.deepcopy(job) for job in jobs for _ in range(2)]


def _last_again(data: Data) -> None:
    data["jobs"] += copy.deepcopy(data["jobs"][-1:])


# --- coded ------------------------------------------------------------------------------------


def _coded_faster(data: Data) -> None:
    data["plans"] = data["sca_point"] = data["measured"] = None
    _twice(data["rate"])
    data["shift"] = [[a and a / 2 for a in row] for row in data["shift"]]


def _coded_worker_again(data: Data) -> None:
    data["plans"] = data["sca_point"] = data["measured"] = None
    data["workers"] += 1
    for row in [*data["rate"], *data["shift"]]:
        row.append(row[0])


def _coded_master_again(data: Data) -> None:
    data["plans"] = data["sca_point"] = data["measured"] = None
    for table in (data["masters"], data["rate"], data["shift"]):
        table.append(copy.deepcopy(table[-1]))


def _coded_worker_in_halves(data: Data) -> None:
    data["plans"] = data["sca_point"] = data["measured"] = None
    data["workers"] += 1
    for rate, shift in zip(data["rate"], data["shift"], strict=True):
        rate[:1] = [rate[0] and rate[0] / 2] * 2
        shift[:1] = [shift[0] and shift[0] * 2] * 2


# --- dps --------------------------------------------------------------------------------------


def _dps_more_installed(data: Data) -> None:
    _twice(data["server_workers"])
    _twice(data["server_ps"])


def _dps_server_again(data: Data) -> None:
    for field in ("server_workers", "server_ps"):
        data[field].append(list(data[field][0]))


def _dps_server_in_halves(data: Data) -> None:
    for field in ("server_workers", "server_ps"):
        first = data[field][0]
        data[field][:1] = [[(n + 1) // 2 for n in first], [n // 2 for n in first]]


def _dps_twice(data: Data) -> None:
    for field in ("server_workers", "server_ps"):
        data[field] *= 2
    _again(data["jobs"])


def _dps_slot_between(data: Data) -> None:
    """Nobody arrives in the slot in which the second half used to begin to arrive."""
    data["horizon"] += 1
    for job in data["jobs"][len(data["jobs"]) // 2 :]:
        job["arrival"] += 1


# --- eris -------------------------------------------------------------------------------------


def _eris_more_capacity(data: Data) -> None:
    _twice(data["site_capacity"])


def _eris_more_transfer(data: Data) -> None:
    data["transfer_budget"] *= 2


def _eris_twice(data: Data) -> None:
    _eris_more_capacity(data)
    _eris_more_transfer(data)
    _again(data["jobs"])


def _eris_site_in_halves(data: Data) -> None:
    data["sites"] += 1
    data["site_capacity"][:1] = [[c / 2 for c in data["site_capacity"][0]] for _ in range(2)]
    for job in data["jobs"]:
        job["data"].insert(1, 0)
    if data["occupied"]:
        rows = data["occupied"]["resources"]
        rows[:1] = [[[u / 2 for u in row] for row in rows[0]] for _ in range(2)]


# --- gadget -----------------------------------------------------------------------------------


def _gadget_more_capacity(data: Data) -> None:
    _twice([node["capacity"] for node in data["nodes"]])


def _gadget_more_bandwidth(data: Data) -> None:
    for link in data["links"]:
        link["bandwidth"] = link["bandwidth"] and 2 * link["bandwidth"]


def _gadget_twice(data: Data) -> None:
    _gadget_more_capacity(data)
    _gadget_more_bandwidth(data)
    _again(data["jobs"])


def _gadget_slot_at_the_end(data: Data) -> None:
    data["horizon"] += 1


def _gadget_links_in_halves(data: Data) -> None:
    for link in data["links"]:
        link["bandwidth"] = link["bandwidth"] and link["bandwidth"] / 2
    data["links"] += copy.deepcopy(data["links"])


def _gadget_server_in_halves(data: Data) -> None:
    """The second half is reached through the first, without limit."""
    first, new = data["nodes"][0], len(data["nodes"])
    first["capacity"] = [c and c / 2 for c in first["capacity"]]
    data["nodes"].append(copy.deepcopy(first))
    data["links"] += [{"from": 0, "to": new, "bandwidth": None},
                      {"from": new, "to": 0, "bandwidth": None}]  # fmt: skip


# --- mlbroker ---------------------------------------------------------------------------------


def _mlbroker_dearer(data: Data) -> None:
    for field in ("transfer_price", "base_price", "discount_price"):
        _twice(data[field] or [])
    for job in data["jobs"]:
        job["deploy_cost"] *= 2


def _mlbroker_site_again(data: Data) -> None:
    """The first site once more, with free transfer between the two."""
    data["num_sites"] += 1
    for field in ("transfer_price", "base_price", "discount_price", "discount_threshold"):
        if data[field]:
            data[field].append(list(data[field][0]))
    for row in data["transfer_price"]:
        row.append(row[0])
    for row in [row for job in data["jobs"] for row in job["data"]]:
        row.append(0.0)


def _mlbroker_twice(data: Data) -> None:
    _twice(data["discount_threshold"] or [])
    _again(data["jobs"])


GROWTH: Mapping[str, Mapping[str, Growth]] = {
    "coded": {
        "faster workers": Growth(_coded_faster, -1, 0.5),
        "a worker again": Growth(_coded_worker_again, -1),
        "a master again": Growth(_coded_master_again, 1),
        "a worker in halves": Growth(_coded_worker_in_halves, -1),
    },
    "dps": {
        "more installed": Growth(_dps_more_installed, 1),
        "a server again": Growth(_dps_server_again, 1),
        "a job again": Growth(_last_again, 1),
        "a server in halves": Growth(_dps_server_in_halves, -1),
        "twice": Growth(_dps_twice, 1, 2.0),
        "an empty slot between": Growth(_dps_slot_between, 1),
    },
    "eris": {
        "more capacity": Growth(_eris_more_capacity, 1),
        "more transfer": Growth(_eris_more_transfer, 1),
        "a job again": Growth(_last_again, 1),
        "a site in halves": Growth(_eris_site_in_halves, -1),
        "twice": Growth(_eris_twice, 1, 2.0),
    },
    "gadget": {
        "more capacity": Growth(_gadget_more_capacity, 1),
        "more bandwidth": Growth(_gadget_more_bandwidth, 1),
        "a job again": Growth(_last_again, 1),
        "a slot at the end": Growth(_gadget_slot_at_the_end, 1),
        "links in halves": Growth(_gadget_links_in_halves, -1),
        "a server in halves": Growth(_gadget_server_in_halves, -1),
        "twice": Growth(_gadget_twice, 1, 2.0),
    },
    "mlbroker": {
        "dearer": Growth(_mlbroker_dearer, 1, 2.0),
        "a job again": Growth(_last_again, 1),
        "a site again": Growth(_mlbroker_site_again, -1),
        "twice": Growth(_mlbroker_twice, -1, 2.0),
    },
}

LEVELS = re.compile(r"coded\.assignment.*")
"""Optima of coded that are rates of completion: they rise where times fall."""

QUANTITIES = ("coded.assignment", "coded.assignment_lp", "coded.assignment_truncated",
              "coded.expected_integer")  # fmt: skip
"""What stands for the programs of coded, which measure speed and time in shares of the largest."""

ANYWAY: Mapping[str, tuple[Exempt, ...]] = {
    "coded": (
        Exempt(
            r".* coded\.expected_integer",
            "a worker in halves",
            "loads are whole rows, also of half a worker",
        ),
    ),
    "dps": (
        Exempt(
            r".* dps\.(min_servers|placement)",
            "more installed|a server in halves",
            "counts servers, or slots: the fewer the better",
        ),
        Exempt(
            r".* dps\.bfp",
            "a server again|a server in halves|twice",
            "of a single server only",
        ),
        Exempt(
            r".* dps\.placement_sequence",
            "a job again|a server in halves",
            "not all jobs can be placed any more",
        ),
    ),
    "eris": (
        Exempt(
            r".* eris\.one_shot",
            "more capacity|more transfer|twice",
            "the cost of a slot: what is in use is a smaller share, and cheaper by (6)",
        ),
    ),
    "gadget": (
        Exempt(
            r".* gadget\.tree",
            "links in halves",
            "refuses what is no tree",
        ),
    ),
    "mlbroker": (
        Exempt(
            r".* mlbroker\.worst_local.*",
            "a site again|twice",
            "the most that is lost, no cost; servers stand at drawn sites",
        ),
        Exempt(
            r".* mlbroker\.(regularized\[printed,.*|outer\[.*,printed\])",
            "a job again",
            "the one constant of (8c) and (8d) grows with what all jobs can use",
        ),
        Exempt(
            r".* mlbroker\.outer_job",
            "a job again",
            "the first job alone, at a discount to which more jobs contribute",
        ),
        Exempt(
            r".* mlbroker\.(recourse|dual_as_printed)",
            "a site again",
            "of a given deployment, and of what is no dual",
        ),
    ),
}
"""Programs whose optima go either way under some growths, and why."""

ORDER: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "coded": (
        ("coded.assignment", "coded.assignment_lp"),
        ("coded.assignment", "coded.assignment_truncated"),
    ),
    "dps": (
        *(
            (f"dps.interval_ip[{reward},{rows}]", f"dps.interval_lp[{reward},{rows}]")
            for reward in ("budget", "capped", "fixed")
            for rows in ("cliques", "state")
        ),
        *(
            (f"dps.interval_{sort}[capped,{rows}]", f"dps.interval_{sort}[budget,{rows}]")
            for sort in ("ip", "lp")
            for rows in ("cliques", "state")
        ),
        *((f"dps.offline[{prices}]", f"dps.offline_lp[{prices}]")
          for prices in ("free", "capped", "forced")),
        ("dps.offline[forced]", "dps.offline[capped]", "dps.offline[free]",
         "dps.interval_ip[budget,cliques]"),
        ("dps.interval_lp[budget,cliques]", "dps.interval_dual[budget]"),
        ("dps.interval_dual[budget]", "dps.interval_lp[budget,cliques]"),
        ("dps.bfp", "dps.offline[capped]"),
    ),
    "eris": (
        ("eris.schedule_ilp", "eris.schedule_lp", "eris.dual", "eris.schedule_lp"),
        ("eris.schedule_ilp", "eris.offline[compact]", "eris.offline[explicit]",
         "eris.schedule_ilp"),
    ),
    "gadget": (
        ("gadget.column_ip", "gadget.column_lp", "gadget.augmented", "gadget.node_lp"),
        ("gadget.gvne", "gadget.gvne_lp"),
        ("gadget.offline", "gadget.offline_column_bound", "gadget.offline_bound"),
    ),
    "mlbroker": (
        *(
            ("mlbroker.relaxed[printed,printed]", f"mlbroker.relaxed[tight,{semantics}]",
             f"mlbroker.offline[{semantics},two,split]")
            for semantics in ("printed", "strict")
        ),
        ("mlbroker.relaxed[tight,strict]", "mlbroker.relaxed[sharp,strict]",
         "mlbroker.offline[strict,choice,split]", "mlbroker.offline[strict,single,global]",
         "mlbroker.offline[strict,choice,global]"),
        ("mlbroker.dual", "mlbroker.relaxed[printed,printed]", "mlbroker.dual"),
        ("mlbroker.offline[printed,choice,split]", "mlbroker.offline[strict,choice,split]"),
    ),
}  # fmt: skip
"""Names of programs by kind, each optimum at most the next on every instance."""
