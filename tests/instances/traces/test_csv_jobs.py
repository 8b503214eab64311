"""Jobs of any table: roles, units, what is refused, and what a worth becomes."""

from __future__ import annotations

import math

import pytest

from farkas.cli import call
from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from tests.instances.traces.made import PHILLY, PRICES

TABLE = """\
name,came,cards,ran,who,usd
first,0,2,1.5,red,30
second,0.5,4,2,blue,50
third,3,1,1,red,7
"""
ROLES = {"job_id": "name", "submit": "came", "gpus": "cards", "duration": "ran"}
HOURS = {"submit_unit": "h", "duration_unit": "h", "slot_seconds": 3600, "slots": 4}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(TABLE)
    return path


def cluster(path, roles=ROLES, **options):
    return import_trace("csv", path, "gadget", map=roles, **{**HOURS, **options})


def test_columns_are_found_by_role_and_times_by_unit(table):
    found = cluster(table)
    jobs = found.instance.jobs
    assert [job.name for job in jobs] == ["first", "second", "third"]
    assert [job.arrival for job in jobs] == [0, 0, 3]
    # 1.5 h of 2 GPUs, 2 h of 4, 1 h of 1
    assert [job.budget for job in jobs] == [(3.0,), (8.0,), (1.0,)]
    assert found.report() == "3 jobs imported"


def test_units_change_the_numbers_but_not_the_jobs(table, tmp_path):
    rows = [line.split(",") for line in TABLE.splitlines()]
    factor = {"ms": 3.6e6, "s": 3600, "min": 60, "d": 1 / 24}
    wanted = cluster(table).instance.jobs
    for unit, by in factor.items():
        text = [",".join(rows[0])]
        text += [",".join([r[0], repr(float(r[1]) * by), r[2], repr(float(r[3]) * by), *r[4:]])
                 for r in rows[1:]]  # fmt: skip
        other = tmp_path / f"{unit}.csv"
        other.write_text("\n".join(text))
        assert cluster(other, submit_unit=unit, duration_unit=unit).instance.jobs == wanted


def test_milliseconds_of_our_days_do_not_pass_for_seconds(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "x,1600000000000,1,1,a,1\n")
    with pytest.raises(FileProblem, match="within 10,000 years, in s"):
        cluster(path, submit_unit="s")
    assert (
        cluster(path, submit_unit="ms").report()
        == "3 jobs imported; 1 job left out: outside the window"
    )


def test_dates_and_ends_are_read_too(tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text("a,b,n\n2020-01-01 00:00:00,2020-01-01 01:30:00,2\n")
    roles = {"submit": "a", "end": "b", "gpus": "n"}
    found = cluster(path, roles, submit_unit="date").instance
    assert found.jobs[0].budget == (3.0,)
    assert found.jobs[0].name == "line 2"
    path.write_text("a,b,n\n2020-01-01 01:00:00,2020-01-01 00:30:00,2\n")
    with pytest.raises(FileProblem, match="line 2: ends 1800 s before it comes"):
        cluster(path, roles, submit_unit="date")


def test_the_philly_columns_by_role_make_the_same_instance(tmp_path):
    path, prices = tmp_path / "philly.csv", tmp_path / "prices.csv"
    path.write_text(PHILLY)
    prices.write_text(PRICES)
    roles = {
        "submit": "timestamp", "duration": "duration", "gpus": "num_gpus", "group": "cluster",
        "gpu_time": "gpu_time",
    }  # fmt: skip
    further = {"mlbroker": {"prices": str(prices), "instance": "g4.big"}}
    for kind in ("gadget", "eris", "dps", "mlbroker"):
        options = further.get(kind, {})
        one = import_trace("philly", path, kind, 3, **options).instance
        two = import_trace("csv", path, kind, 3, map=roles, submit_unit="date", **options).instance
        for a, b in zip(one.jobs, two.jobs, strict=True):
            differ = {f for f in a.__struct_fields__ if getattr(a, f) != getattr(b, f)}
            assert differ <= {"name"}
        plain = {"name", "description", "jobs"}
        for field in set(one.__struct_fields__) - plain:
            assert getattr(one, field) == getattr(two, field), (kind, field)


def test_a_worth_is_budget_utility_and_reward(table):
    roles = {**ROLES, "value": "usd", "group": "who"}
    market = import_trace("csv", table, "dps", map=roles, **HOURS).instance
    assert [job.budget for job in market.jobs] == [30.0, 50.0, 7.0]
    assert [job.worker_type for job in market.jobs] == [1, 0, 1]
    auction = import_trace("csv", table, "eris", map=roles, **HOURS).instance
    assert [job.utility[0] for job in auction.jobs] == [30.0, 50.0, 7.0]
    assert auction.jobs[0].utility[1] < 30.0
    for job in cluster(table, roles).instance.jobs:
        worth = {"first": 30.0, "second": 50.0, "third": 7.0}[job.name]
        # the whole budget of worker-slots earns the worth
        assert math.isclose(float(job.utility(job.efficiency * job.budget[0])), worth)
    told = cluster(table, roles).instance.description
    assert "CSV table that says what jobs are worth" in told
    with pytest.raises(InvalidOption, match="this kind has no use for a value"):
        import_trace("csv", table, "mlbroker", map=roles, prices="x")


def test_worthless_and_gpuless_jobs_are_left_out_and_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "fourth,0,1,1,red,0\nfifth,0,0,1,red,1\n")
    found = cluster(path, {**ROLES, "value": "usd"})
    assert found.dropped == {"worth nothing": 1, "without a GPU": 1}


def test_a_table_of_no_jobs_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE.splitlines()[0] + "\n\n")
    with pytest.raises(FileProblem, match=r"t\.csv: there is no job below the header"):
        cluster(path, ROLES)


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            "x,soon,1,1,a,1",
            "line 5: came = 'soon'; expected a number; "
            "missing=soon with incomplete=leave_out leaves such lines out",
        ),
        (
            "x,0,0.5,1,a,1",
            "line 5: cards = '0.5'; expected whole GPUs; "
            "part_of_gpu=round_up counts parts as whole ones",
        ),
        ("x,0,-1,1,a,1", "line 5: cards = '-1'; expected a number >= 0"),
        ("x,0,1,-1,a,1", "line 5: ran = '-1'; expected a number >= 0"),
        ("x,0,1,,a,1", "line 5: ran is empty; incomplete=leave_out leaves such lines out"),
        (
            "x,0,1,inf,a,1",
            "line 5: ran = 'inf'; expected a finite number; "
            "missing=inf with incomplete=leave_out leaves such lines out",
        ),
        (
            "x,0,1,1-02:03:04,a,1",
            "line 5: ran = '1-02:03:04'; expected a number; duration_unit=hms reads such lengths",
        ),
        ("x,0,1,1,a", "line 5: 5 cells, but 6 columns"),
        ("first,0,1,1,a,1", "line 5: job_id first stands in line 2 too"),
        (",0,1,1,a,1", "line 5: name is empty"),
        ("x,0,1,1,a,-3", "line 5: usd = '-3'; expected a number >= 0"),
        ("x,0,1,1,,3", "line 5: who is empty; incomplete=leave_out leaves such lines out"),
        ("x,0,1,1_0,a,1", "line 5: ran = '1_0'; expected a number"),
        ("x,0,1,\u0661,a,1", "line 5: ran = '\u0661'; expected a number"),
        ("x,1e9,1,1,a,1", "line 5: came = '1e9'; expected a time within 10,000 years, in h"),
        ("x,-1e308,1,1,a,1", "came = '-1e308'; expected a time within 10,000 years, in h"),
        ("x,0,1,1e9,a,1", "line 5: ran = '1e9'; expected at most 10,000 years, in h"),
        ("x,0,100001,1,a,1", "line 5: cards = '100001'; expected at most 100,000 GPUs"),
        ("x,0,1e300,1,a,1", "line 5: cards = '1e300'; expected at most 100,000 GPUs"),
        ("x,2020-01-01 01:00,1,1,a,1", "expected a number; submit_unit=date reads dates"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, row, words):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + row + "\n")
    with pytest.raises(FileProblem) as caught:
        cluster(path, {**ROLES, "value": "usd", "group": "who"})
    assert str(caught.value).endswith(words)


def test_incomplete_lines_and_parts_of_a_gpu_are_taken_when_asked_for(table, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "x,0,,1,a,1\ny,0,0.25,1,a,1\nz,0,1,1,,1\n")
    roles = {**ROLES, "group": "who"}
    found = cluster(path, roles, incomplete="leave_out", part_of_gpu="round_up")
    assert found.dropped == {"incomplete": 2}
    assert {job.name: job.max_workers for job in found.instance.jobs}["y"] == 1
    assert found.told["parts of a GPU"] == "1 job, counted as whole GPUs"
    assert "parts of a GPU" not in cluster(table, part_of_gpu="round_up").told


WORDS = ["", "n/a", "NA", "NaN", "nan", "null", "None", "-", " n/a "]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("place", range(1, 6))
def test_the_usual_words_for_a_missing_value_are_like_an_empty_cell(tmp_path, word, place):
    path = tmp_path / "t.csv"
    row = ["x", "0", "1", "1", "a", "1"]
    row[place] = word
    path.write_text(TABLE + ",".join(row) + "\n")
    roles = {**ROLES, "value": "usd", "group": "who"}
    assert cluster(path, roles, incomplete="leave_out").dropped == {"incomplete": 1}
    with pytest.raises(FileProblem) as caught:
        cluster(path, roles)
    column = TABLE.splitlines()[0].split(",")[place]
    if word:
        said = f"line 5: {column} = {word.strip()!r} counts as a missing value"
        end = "; missing=WORDS says what counts"
    else:
        said, end = f"line 5: {column} is empty", ""
    assert str(caught.value) == (f"{path}: {said}; incomplete=leave_out leaves such lines out{end}")


@pytest.mark.parametrize("missing", ["unknown,-1", ["unknown", "-1"], "-1, UNKNOWN"])
def test_the_words_for_a_missing_value_are_a_setting(tmp_path, missing):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "x,0,1,Unknown,a,1\ny,0,1,-1,a,1\n")
    found = cluster(path, incomplete="leave_out", missing=missing)
    assert found.dropped == {"incomplete": 2}
    with pytest.raises(FileProblem, match="expected a number; missing=Unknown with incomplete="):
        cluster(path, incomplete="leave_out")
    path.write_text(TABLE + "x,0,1,NA,a,1\n")
    with pytest.raises(FileProblem, match="ran = 'NA'; expected a number"):
        cluster(path, incomplete="leave_out", missing=missing)


def test_a_number_is_a_word_for_a_missing_value_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "x,0,-1,1,a,1\n")
    assert cluster(path, incomplete="leave_out", missing=-1).dropped == {"incomplete": 1}


SLURM = """\
JobID,Submit,Elapsed,End,CPUTime
77,2024-05-01T08:00:00,1-02:03:04,2024-05-02T10:03:04,4-08:12:16
78,2024-05-01T09:00:00,00:10:00,Unknown,00:10.000
"""
SUBMITTED = {"job_id": "JobID", "submit": "Submit", "gpus": "gpus"}


@pytest.fixture
def accounting(tmp_path):
    path = tmp_path / "slurm.csv"
    path.write_text(SLURM.replace("\n", ",1\n").replace("CPUTime,1", "CPUTime,gpus"))
    return path


def test_lengths_are_read_as_clusters_write_them(accounting):
    roles = {**SUBMITTED, "duration": "Elapsed", "gpu_time": "CPUTime"}
    dates = {"map": roles, "submit_unit": "date"}
    found = import_trace("csv", accounting, "gadget", duration_unit="hms", **dates)
    # 93,784 s are 26.05 h, begun worker-slots of an hour: 27; 10 min are one
    assert [job.budget for job in found.instance.jobs] == [(27.0,), (1.0,)]
    assert found.told["durations"] == "10 min to 26.05 h, median 13.11 h"
    assert found.told["units"].endswith("lengths as hms (duration_unit)")
    # 4 days, 8:12:16 are 375,136 s of a GPU, begun chunks of an hour: 105; 10 s are one
    chunks = import_trace("csv", accounting, "eris", duration_unit="hms", **dates).instance
    assert [sum(job.data) for job in chunks.jobs] == [105, 1]
    accounting.write_text(accounting.read_text().replace("00:10:00", "600"))
    for unit, line in (("s", "line 2: Elapsed = '1-02:03:04'"), ("hms", "line 3: Elapsed = '600'")):
        with pytest.raises(FileProblem, match=line):
            import_trace("csv", accounting, "gadget", duration_unit=unit, **dates)


def test_the_unknown_end_of_a_running_job_is_left_out_as_missing(accounting):
    options = {"map": {**SUBMITTED, "end": "End"}, "submit_unit": "date"}
    message = "line 3: End = 'Unknown'; .*; missing=Unknown with incomplete=leave_out leaves such"
    with pytest.raises(FileProblem, match=message):
        import_trace("csv", accounting, "gadget", **options)
    options |= {"missing": "Unknown", "incomplete": "leave_out"}
    assert import_trace("csv", accounting, "gadget", **options).dropped == {"incomplete": 1}


def renamed(tmp_path, **columns):
    """A table with some columns renamed, and the roles of it."""
    header, rest = TABLE.split("\n", 1)
    names = {name: name for name in header.split(",")} | columns
    path = tmp_path / "renamed.csv"
    path.write_text(",".join(names[name] for name in header.split(",")) + "\n" + rest)
    return path, {role: names[column] for role, column in ROLES.items()}


@pytest.mark.parametrize(
    ("column", "unit"),
    [("Runtime [min]", "min"), ("ran (s)", "s"), ("ran_ms", "ms"), ("run days", "d")],
)
def test_a_column_that_names_another_unit_is_warned_of(tmp_path, column, unit):
    path, roles = renamed(tmp_path, ran=column)
    found = cluster(path, roles)  # read in hours
    assert len(found.warnings) == 1
    assert found.warnings[0].endswith(
        f" names {unit} but is read in h; duration_unit={unit} reads it so"
    )
    assert cluster(path, roles, duration_unit=unit).warnings == ()


def test_units_of_arrivals_are_looked_at_unless_they_are_dates(tmp_path):
    path, roles = renamed(tmp_path, came="submitted_sec", ran="hours")
    (warning,) = cluster(path, roles).warnings
    assert warning == "submitted_sec names s but is read in h; submit_unit=s reads it so"
    assert cluster(path, roles, submit_unit="s", start=0).warnings == ()
    path, roles = renamed(tmp_path, came="came [us]")
    assert "submit_unit has no us, convert the column" in cluster(path, roles).warnings[0]
    path.write_text("came [min],n,h\n2020-01-01,1,1\n")
    dated = {"submit": "came [min]", "gpus": "n", "duration": "h"}
    assert cluster(path, dated, submit_unit="date").warnings == ()


def test_what_was_understood_is_told_with_its_units(table):
    told = cluster(table).told
    assert told["units"] == "times in h (submit_unit), lengths in h (duration_unit)"
    assert told["durations"] == "60 min to 2 h, median 90 min"
    assert told["arrivals"] == "from 0 s to 10800 s"
    assert told["GPUs"] == "1 to 4 a job, median 2"


def test_jobs_that_are_all_left_out_are_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE.replace(",2,", ",0,").replace(",4,", ",0,").replace(",1,", ",0,"))
    message = r"none of its jobs is left; 3 jobs left out: without a GPU"
    with pytest.raises(InvalidOption, match=message):
        cluster(path, ROLES)
    empty = cluster(path, ROLES, jobs=0)
    assert empty.kept == 0
    assert empty.warnings == ("none of its jobs was taken",)


def test_a_file_that_is_missing_is_said_before_columns_are_asked_for(tmp_path, capsys):
    path = tmp_path / "none.csv"
    with pytest.raises(FileProblem, match=r"none\.csv: no such file"):
        import_trace("csv", path, "gadget")
    for kind in ([], ["--kind", "gadget"]):
        assert call(["import", "csv", str(path), *kind]) == 2
        assert capsys.readouterr().err == f"farkas: {path}: no such file\n"
    path.write_text(TABLE)
    with pytest.raises(InvalidOption, match=r"map = .*; expected text, got a whole number$"):
        import_trace("csv", path, "gadget", map={"submit": 3})


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({}, "map submit=COLUMN, gpus=COLUMN, duration=COLUMN or end=COLUMN is missing"),
        ({"submit": "came", "gpus": "cards"}, "map duration=COLUMN or end=COLUMN is missing"),
        ({**ROLES, "end": "usd"}, "map either duration=COLUMN or end=COLUMN"),
        ({**ROLES, "group": "ran"}, "column ran has two roles"),
        ({"sumbit": "came"}, "no role sumbit; did you mean submit?"),
    ],
)
def test_roles_that_are_missing_or_unknown_are_named(table, roles, words):
    with pytest.raises(InvalidOption) as caught:
        cluster(table, roles)
    assert str(caught.value) == f"import csv to gadget: {words}"


def test_a_unit_that_is_not_known_is_answered_with_those_that_are(table):
    with pytest.raises(InvalidOption) as caught:
        cluster(table, duration_unit="minutes")
    told = "import csv to gadget: duration_unit is one of ms, s, min, h, d, hms, not minutes"
    assert str(caught.value) == told


def test_a_column_that_is_not_there_is_named(table):
    told = r"line 1: no column lasted; the header has name, came, cards, ran, who, usd$"
    with pytest.raises(FileProblem, match=told):
        cluster(table, {**ROLES, "duration": "lasted"})


def test_the_nearest_column_of_the_header_stands_first(table):
    table.write_text("id,Submitted (local),Run time,GPUs\na,0,1,1\n")
    roles = {"submit": "Submitted", "gpus": "gpus", "duration": "run_time"}
    with pytest.raises(FileProblem) as caught:
        cluster(table, roles)
    assert str(caught.value).endswith(
        "line 1: no column Submitted, gpus, run_time; the header has "
        '"Submitted (local)", GPUs, "Run time", id'
    )


def test_prices_reach_what_jobs_are_worth_unless_a_cap_is_given(table):
    roles = {**ROLES, "value": "usd"}
    found, given = (
        import_trace("csv", table, "dps", map=roles, **HOURS, **more).instance
        for more in ({}, {"price_cap": 2.0})
    )
    # 30 USD for 2 GPUs, 50 for 4, 7 for 1
    assert [job.budget for job in found.jobs] == [30.0, 50.0, 7.0]
    assert [job.budget for job in given.jobs] == [30.0, 50.0, 7.0]
    assert (found.price_cap, given.price_cap) == (15.0, 2.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("28.02.2024 23:00", r"write dates as 2017-10-09 07:01:55 and give submit_unit=date"),
        ("2024-02-28 23:00:00", r"submit_unit=date reads dates"),
        ("1.2.x", r"expected a number$"),
    ],
)
def test_a_date_that_is_no_number_says_how_dates_are_read(tmp_path, text, words):
    path = tmp_path / "t.csv"
    path.write_text(f"came,n,h\n{text},1,1\n")
    with pytest.raises(FileProblem, match=words):
        cluster(path, {"submit": "came", "gpus": "n", "duration": "h"})


SACCT = """JobID|Submit|Elapsed|AllocTRES|Account
7|2026-01-05T08:00:00|1-02:03:04|billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=64G|physics
8_1|2026-01-05T08:10:00|01:30:00|cpu=4,gres/gpu:v100=1,mem=8G|arts
9|2026-01-05T08:20:00|00:10:00|billing=2,cpu=2|arts
10|2026-01-05T08:30:00|00:00:00||arts
"""


def test_what_sacct_prints_is_read_as_it_is(tmp_path) -> None:
    (tmp_path / "jobs.txt").write_text(SACCT)
    imported = import_trace("slurm", tmp_path / "jobs.txt", "gadget", servers=4)
    assert dict(imported.dropped) == {"incomplete": 1, "without a GPU": 1}
    jobs = imported.instance.jobs
    assert [(job.name, job.max_workers) for job in jobs] == [("7", 2), ("8_1", 1)]
    assert imported.told["durations"] == "90 min to 26.05 h, median 13.78 h"
    told = {name: said for name, said in imported.told.items() if name != "window"}
    auction = import_trace("slurm", tmp_path / "jobs.txt", "eris")
    assert auction.dropped["without GPU time"] == 1  # which nothing else counts
    assert told.items() <= auction.told.items()
    commas = SACCT.replace(",", ";").replace("|", ",")
    (tmp_path / "jobs.csv").write_text(commas)
    with pytest.raises(FileProblem, match="no column JobID"):
        import_trace("slurm", tmp_path / "jobs.csv", "eris")
