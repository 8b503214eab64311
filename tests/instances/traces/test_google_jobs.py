"""Task events of Google's traces: what a job is, what is left out, what is refused."""

from __future__ import annotations

import json

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace, importers
from farkas.instances.traces.importer import Account
from farkas.instances.traces.jobs import TraceJob
from tests.instances.traces.made import PRICES

MINUTE = 60 * 10**6
NAMES = {0: "SUBMIT", 1: "SCHEDULE", 2: "EVICT", 4: "FINISH"}
NUMBERS_OF_2019 = {"SUBMIT": 0, "SCHEDULE": 3, "EVICT": 4, "FINISH": 6}
#: Minute, job, task, event of 2011, scheduling class.
EVENTS = [
    (0, 7, 0, 0, 0), (1, 7, 0, 1, 0), (90, 7, 0, 4, 0),  # came before the trace
    (10, 8, 0, 0, 2), (10, 8, 1, 0, 2), (12, 8, 0, 1, 2), (15, 8, 1, 1, 2),
    (20, 8, 0, 2, 2), (25, 8, 0, 1, 2), (72, 8, 1, 4, 2), (75, 8, 0, 4, 2),
    (11, 9, 0, 0, 1), (13, 9, 0, 1, 1), (43, 9, 0, 4, 1),
    (80, 10, 0, 0, 1), (81, 10, 0, 1, 1),  # runs on
    (82, 11, 0, 0, 1),  # waits
]  # fmt: skip


@pytest.fixture(params=[2011, 2019])
def trace(request, tmp_path):
    """The same events as a table of 2011 and as objects of 2019."""
    path = tmp_path / "events"
    rows = []
    for minute, job, task, event, group in sorted(EVENTS):
        time = minute * MINUTE
        if request.param == 2011:
            rows.append(f"{time},,{job},{task},,{event},user,{group},9,0.1,,,0")
        else:
            kind = NUMBERS_OF_2019[NAMES[event]] if task else NAMES[event]
            rows.append(json.dumps({
                "time": str(time), "type": kind, "collection_id": str(job),
                "instance_index": task, "scheduling_class": group, "priority": 9,
            }))  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


def test_jobs_are_their_tasks_from_the_first_schedule_to_the_last_end(trace):
    found = import_trace("google", trace, "gadget", slot_seconds=1800, slots=2)
    assert found.report() == (
        "2 jobs imported; 3 jobs left out: 1 never scheduled, 1 still running at the end, "
        "1 submitted before the trace"
    )
    assert [(job.name, job.max_workers) for job in found.instance.jobs] == [("8", 2), ("9", 1)]
    # from minute 12 to minute 75
    assert found.told["durations"] == "30 min to 63 min, median 46.5 min"
    first, second = importers["google:gadget"]().read(trace, Account())
    # tasks of 8 + 50 and 57 minutes
    assert first == TraceJob(600.0, 3780.0, 2, 6900.0, "class 2", "8")
    assert second == TraceJob(660.0, 1800.0, 1, 1800.0, "class 1", "9")


@pytest.mark.parametrize("kind", ["eris", "dps", "mlbroker"])
def test_every_kind_is_made_of_them(trace, kind, tmp_path):
    more = {}
    if kind == "mlbroker":
        (tmp_path / "prices.csv").write_text(PRICES)
        more = {"prices": str(tmp_path / "prices.csv"), "instance": "g4.big"}
    assert import_trace("google", trace, kind, **more).kept == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("600000000,,8,0,,9,u,0,0,,,,\n", "line 1: there is no event 9 in 2011"),
        ("1,2,3\n", "line 1: 3 cells; task events of 2011 have 13"),
        ("x,,8,0,,0,u,0,0,,,,\n", "line 1: is no task event of 2011: .*time"),
        ("-1,,8,0,,0,u,0,0,,,,\n", "line 1: a time below 0"),
        ('{"time": 1, "type": "SUBMIT"}\n', "line 1: is no instance event of 2019: .*collection"),
        ('\n{"time": 1\n', "line 2: is no instance event of 2019"),
        ("\n", "holds no event of a job"),
    ],
)
def test_what_is_no_event_is_refused_by_its_line(tmp_path, text, message):
    path = tmp_path / "events"
    path.write_text(text)
    with pytest.raises(FileProblem, match=message):
        import_trace("google", path, "gadget")


def test_a_packed_file_is_told_by_what_it_is(tmp_path):
    path = tmp_path / "part-00000-of-00500.csv.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(FileProblem, match="is packed; unpack it with gunzip"):
        import_trace("google", path, "gadget")


def test_reservations_are_no_jobs_and_a_class_may_be_missing(tmp_path):
    path = tmp_path / "events"
    rows = [
        {"time": (10 + at) * MINUTE, "type": kind, "collection_id": job, "instance_index": 0,
         "collection_type": sort, "scheduling_class": None}
        for job, sort in ((1, 0), (2, 1), (3, "ALLOC_SET"), (4, "JOB"))
        for at, kind in enumerate(("SUBMIT", "SCHEDULE", "FINISH"))
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    account = Account()
    jobs = importers["google:gadget"]().read(path, account)
    assert [(job.name, job.cluster) for job in jobs] == [("1", "all"), ("4", "all")]
    assert account == {"reservations": 2}


@pytest.mark.parametrize("setting", [{"incomplete": "leave_out"}, {"missing": "x"}])
def test_settings_of_tables_are_refused(trace, setting):
    with pytest.raises(InvalidOption, match="is for tables with a header"):
        import_trace("google", trace, "gadget", **setting)
