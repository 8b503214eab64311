"""Tables with a header: damage is named by file, line and column."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.instances import library
from farkas.instances.traces import import_trace, kinds_of, sources
from farkas.instances.traces.importer import (
    SPELT,
    Account,
    Importer,
    moment,
    numbers,
    other_unit,
    span,
    unit_in,
)
from farkas.instances.traces.market import Window
from farkas.instances.traces.table import length, lines, seconds
from tests.instances.traces.made import PHILLY


def read(path, text):
    """All cells of the Philly columns, typed as its reader types them."""
    path.write_text(text)
    columns = ("timestamp", "duration", "num_gpus")
    return [
        (line.time("timestamp"), line.nonnegative("duration"), line.whole("num_gpus"))
        for line in lines(path, columns)
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("7201.0,1,", "many,1,", r"philly.csv: line 4: duration = 'many'; expected a number"),
        ("7201.0,1,", "nan,1,", "line 4: duration = 'nan' counts as a missing value"),
        ("7201.0,1,", "-1,1,", "line 4: duration = '-1'; expected a number >= 0"),
        ("7201.0,1,", "7201.0,1.5,", "line 4: num_gpus = '1.5'; expected an integer >= 0"),
        ("7201.0,1,", "7201.0,,", "line 4: num_gpus is empty"),
        ("2017-10-09 08:00:00", "yesterday", "line 3: timestamp = 'yesterday'; expected a time"),
        (",28800.0,alpha", ",28800.0", "line 3: 4 cells, but 5 columns"),
        ("num_gpus", "gpus", "line 1: no column num_gpus"),
        (PHILLY, "", "line 1: no column timestamp, duration"),
        (
            PHILLY,
            PHILLY.replace(",", ";"),
            "num_gpus; cells are parted by commas, not by semicolons$",
        ),
        (PHILLY, PHILLY.replace(",", "\t"), "num_gpus; cells are parted by commas, not by tabs$"),
        ("alpha", '"alpha', "philly.csv: line"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(tmp_path, before, after, message):
    with pytest.raises(FileProblem, match=message) as caught:
        read(tmp_path / "philly.csv", PHILLY.replace(before, after, 1))
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "philly.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileProblem, match="is not text in UTF-8"):
        list(lines(tmp_path / "philly.csv", ()))


def test_null_characters_are_no_text(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a\n1\nx\x00\n")
    with pytest.raises(FileProblem, match=r"t\.csv: line 3: is not text but holds a null"):
        list(lines(tmp_path / "t.csv", ["a"]))


def test_cells_are_read_by_name_whatever_the_order_of_columns(tmp_path):
    path = tmp_path / "table.csv"
    # a byte order mark, blanks around names and texts, an empty line, a quoted comma
    path.write_text('\ufeff b , a\n"x, y",  -1.5\n\n , 2\n')
    first, second = lines(path, ("a", "b"))
    assert (first.text("b"), first.number("a")) == ("x, y", -1.5)
    assert second.nonnegative("a") == 2.0
    assert second.number_or_none("b") is None
    assert second.whole("a") == 2
    assert second.place == f"{path}: line 4"


def test_a_table_without_lines_yields_nothing(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n")
    assert list(lines(path, ("a",))) == []


def test_times_without_a_zone_are_utc():
    assert seconds("1970-01-01 01:00") == 3600.0
    assert seconds("1970-01-01T01:00+02:00") == -3600.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1-02:03:04", 93_784.0),  # 86,400 + 7,200 + 180 + 4
        ("0-00:00:00", 0.0),
        ("24:00:00", 86_400.0),
        ("100:00:01.5", 360_001.5),
        ("59:59", 3_599.0),
        ("0:07.25", 7.25),
    ],
)
def test_lengths_of_time_have_days_hours_minutes_and_seconds(text, found):
    assert length(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "1-24:00:00", "25:61:00", "00:00:60", "60:00", "-01:30:00", "1--02:03:04", "-1-02:03:04",
        "1-02:03", "1-02", "1:2:3", "01:30:", ":30", "600", "1 day, 2:03:04", "01:30:00,5",
        "\u0661:00:00", "01 :30:00", "",
    ],
)  # fmt: skip
def test_what_is_no_length_of_time_is_refused_with_its_line(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(f'a,b\n1,"{text}"\n')
    (line,) = lines(path, ["b"])
    with pytest.raises(FileProblem, match=r"line 2: b = '.*'; expected a length such as 1-02"):
        line.length("b")


def test_headers_are_quoted_and_columns_that_stand_twice_are_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('"a: 5.\n\x1b[31mProved","b"\nx,1\n')
    column = "a: 5.\n\x1b[31mProved"
    (line,) = lines(path, [column])
    with pytest.raises(FileProblem) as caught:
        line.number(column)
    assert r'"a: 5.\n\x1b[31mProved" = ' in str(caught.value)
    path.write_text("b,a,b\n1,2,3\n")
    assert [line.number("a") for line in lines(path, ["a"])] == [2.0]
    with pytest.raises(FileProblem, match="line 1: column b stands twice"):
        list(lines(path, ["a", "b"]))


def test_the_name_of_the_file_cannot_pass_for_words(tmp_path):
    path = tmp_path / "x: proved"
    path.write_text("c\n")
    with pytest.raises(FileProblem, match=r'^"/.*/x: proved": line 1: no column "a b"'):
        list(lines(path, ["a b"]))


class Two(Importer, frozen=True, kw_only=True):
    """Takes the jobs of a shipped auction, in an order that the seed draws."""

    paths: ClassVar[tuple[str, ...]] = ("beside",)

    beside: str = ""

    def fields(self, path, rng, dropped):
        auction = library.load("eris/tiny")
        dropped["too late"] += 2
        dropped["too large"] += 1
        plain = {name: getattr(auction, name) for name in ("slots", "sites", "resource_names")}
        plain |= {name: getattr(auction, name) for name in ("site_capacity", "chunk_size")}
        plain |= {name: getattr(auction, name) for name in ("price_base_transfer", "jobs")}
        return {
            **plain,
            "name": "two",
            "description": f"made of {path}",
            "transfer_budget": float(rng.random()),
            "price_base_resource": auction.price_base_resource,
        }


def test_an_import_carries_seed_name_and_every_choice_but_no_folder():
    found = Two(beside="/home/somebody/list.csv").run("eris", "trace.csv", 7)
    data = found.instance
    assert (data.name, data.seed) == ("two-7", 7)
    assert data.description == (
        "made of trace.csv; 3 jobs left out: 1 too large, 2 too late; seed 7; "
        'options {"beside":"list.csv"}'
    )
    assert data.transfer_budget == np.random.default_rng(7).random()
    assert found.kept == data.num_jobs
    assert found.report() == (
        f"{data.num_jobs} jobs imported; 3 jobs left out: 1 too large, 2 too late"
    )


@pytest.mark.parametrize("unit", SPELT)
def test_every_spelling_of_a_unit_is_found_in_brackets_and_at_the_end(unit):
    for word in SPELT[unit]:
        for header in (f"ran [{word}]", f"ran ({word.upper()})", f"ran_{word}", f"ran {word}"):
            assert unit_in(header) == unit, header


@pytest.mark.parametrize(
    "header", ["min_gpus", "s", "runtime", "day of week", "d_start", "", "[]", "hours used", "GPUs"]
)
def test_other_names_name_no_unit(header):
    assert unit_in(header) == ("s" if header == "s" else None)


def test_spans_are_told_in_a_unit_that_is_easily_read():
    assert [span(x) for x in (0, 0.5, 1, 119, 120, 7199, 7200, 431_999, 432_000)] == [
        "0 s", "500 ms", "1 s", "119 s", "2 min", "120 min", "2 h", "120 h", "5 d",
    ]  # fmt: skip
    assert span(86_400 * 120) == "120 d"
    assert numbers([3.0, 3.0], said=span) == "3 s"
    assert numbers([1.0, 2.0, 60.0], said=span) == "1 s to 60 s, median 2 s"


def test_times_beyond_the_calendar_are_seconds():
    assert moment(1e18, dated=True) == "1e+18 s"
    assert moment(-5.0, dated=True) == "1969-12-31 23:59:55"
    assert moment(1_507_532_515.0, dated=False) == "2017-10-09 07:01:55"


def test_a_spelling_of_the_unit_that_is_read_is_no_warning():
    for unit, words in SPELT.items():
        for word in words:
            assert other_unit(f"shift ({unit})", word, "time_unit") is None
            assert other_unit(f"shift ({word})", unit, "time_unit") is None
    assert other_unit("shift", "seconds", "time_unit") is None
    assert other_unit("shift (s)", "fortnights", "time_unit") == (
        '"shift (s)" names s but is read in fortnights; time_unit=s reads it so'
    )


def test_a_unit_that_a_setting_has_not_is_to_be_converted():
    assert str(other_unit("ran (us)", "s", "duration_unit")).endswith(
        "; duration_unit has no us, convert the column"
    )
    assert str(other_unit("at (us)", "s", "time_unit")).endswith("; time_unit=us reads it so")
    assert str(other_unit("ran (us)", "s", "unit")).endswith("; unit=us reads it so")


@pytest.mark.parametrize("zone", ["UTC", "UTC-5", "EST5EDT"])
def test_dates_are_those_of_greenwich_wherever_they_are_told(zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    try:
        time.tzset()
        told = moment(1_507_532_515.0, dated=True)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert told == "2017-10-09 07:01:55"


def jobs(*submitted: float) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(submitted=t, duration=0.0, num_gpus=1, place=k)
        for k, t in enumerate(submitted)
    ]


def cut(window: Window, *submitted: float) -> tuple[list[tuple[int, float]], Account]:
    """Slots and times of the jobs inside, and what was left out."""
    dropped = Account()
    return [(slot, job.submitted) for slot, job in window.cut(jobs(*submitted), dropped)], dropped


def test_a_slot_holds_its_begin_and_not_its_end():
    window = Window(slot_seconds=10.0, slots=2, start=0.0)
    # the window is [5, 25) from the first job on: slots [5, 15) and [15, 25)
    inside, dropped = cut(window, 24.9, 5.0, 15.0, 14.9, 25.0)
    assert inside == [(0, 5.0), (0, 14.9), (1, 15.0), (1, 24.9)]
    assert dropped == {"outside the window": 1}


def test_what_comes_before_the_begin_is_left_out():
    inside, dropped = cut(Window(slot_seconds=10.0, slots=2, start=7.0), 0.0, 6.9, 7.0, 26.9)
    assert inside == [(0, 7.0), (1, 26.9)]
    assert dropped == {"outside the window": 2}


def test_a_window_can_begin_at_a_time_of_day():
    # 1970-01-01 00:01 is second 60
    window = Window(slot_seconds=10.0, slots=1, start="1970-01-01 00:01")
    assert cut(window, 59.0, 60.0, 69.0, 70.0)[0] == [(0, 60.0), (0, 69.0)]


def test_the_earliest_jobs_are_kept_and_equal_times_keep_the_order_of_the_trace():
    window = Window(slot_seconds=10.0, slots=1, jobs=2, start=0.0)
    dropped = Account()
    kept = window.cut(jobs(3.0, 1.0, 1.0, 99.0), dropped)
    assert [job.place for _, job in kept] == [1, 2]
    assert dropped == {"beyond the number asked for": 1, "outside the window": 1}


@pytest.mark.parametrize(
    ("crowd", "begin"),
    [
        # from 70 to 170 there are 11 windows of 10 s; the first job's window is busy enough when
        # it holds at least a share 1/11 of all: 1 of 11 jobs does, 1 of 12 does not
        (10, 70.0),
        (11, 170.0),
    ],
)
def test_a_window_begins_where_the_trace_is_as_busy_as_on_average(crowd, begin):
    window = Window(slot_seconds=10.0, slots=1)
    times = [70.0] + [170.0] * crowd
    assert window.begin(times) == begin


@pytest.mark.parametrize("start", ["2030-01-01", 1000, -1000])
def test_a_window_that_holds_no_job_names_the_first_and_the_last(start):
    # 86,400 s after 1970 is the second of January; only the words for times differ
    class Dated(Window, frozen=True, kw_only=True):
        dated = True

    with pytest.raises(InvalidOption) as caught:
        cut(Dated(slot_seconds=10.0, slots=2, start=start), 86_400.0, 86_500.0)
    told = str(caught.value)
    assert told.startswith(f"start = {start}: no job comes in the window from ")
    last = "the first one comes at 1970-01-02 00:00:00, the last at 1970-01-02 00:01:40"
    assert told.endswith(last)
    with pytest.raises(InvalidOption, match=r"first one comes at 5 s, the last at 7 s$"):
        cut(Window(slot_seconds=10.0, slots=2, start=start), 5.0, 6.0, 7.0)
    assert cut(Window(slot_seconds=10.0, slots=2, start=start, jobs=0), 5.0)[0] == []


def test_what_was_understood_is_of_all_jobs_also_those_outside():
    window = Window(slot_seconds=3600.0, slots=2, start=0.0)
    trace = [
        SimpleNamespace(submitted=t, duration=d, num_gpus=n)
        for t, d, n in ((50.0, 5.0, 1), (60.0, 400.0, 8), (90_000.0, 60.0, 2))
    ]
    account = Account()
    window.cut(trace, account)
    assert account.told == {
        "durations": "5 s to 6.667 min, median 60 s",
        "arrivals": "from 50 s to 90000 s",
        "GPUs": "1 to 8 a job, median 2",
        "window": "from 50 s to 7250 s: 2 slots of 60 min",
    }
    assert account == {"outside the window": 1}


def test_a_begin_that_is_no_time_is_refused():
    message = "start = 'soon'; give seconds after the first job, or a time"
    with pytest.raises(InvalidOption, match=message):
        cut(Window(start="soon"), 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slot": 3}, "importer x has no setting 'slot'; did you mean slots"),
        ({"slots": 0}, "slots = 0; expected a whole number >= 1$"),
        ({"slot_seconds": 0}, r"slot_seconds = 0; expected a number > 0\.0 \(seconds\)$"),
        ({"jobs": -1}, r"jobs = -1; expected .* >= 0$"),
    ],
)
def test_impossible_windows_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Window.given("importer x", options)


def test_the_last_slot_counts_begun_slots_and_ends_with_the_window():
    window = Window(slot_seconds=10.0, slots=4)
    lasts = [window.last_slot(1, SimpleNamespace(submitted=0.0, duration=d)) for d in
             (0.0, 10.0, 10.1, 30.0, 31.0)]  # fmt: skip
    # arrival in slot 1: 1, 1, 2, 3, 4 slots, and the window ends with slot 3
    assert lasts == [1, 1, 2, 3, 3]


def test_sources_and_their_kinds_are_those_registered():
    assert sources() == ["alibaba", "csv", "gavel", "google", "philly", "slurm"]
    assert kinds_of("philly") == ["dps", "eris", "gadget", "mlbroker"]
    assert kinds_of("alibaba") == ["dps"]
    assert kinds_of("nobody") == []


def test_unknown_sources_and_kinds_name_the_known_ones():
    with pytest.raises(UnknownName, match="unknown trace source 'phily'; did you mean philly"):
        import_trace("phily", "absent.csv", "mlbroker")
    with pytest.raises(UnknownName, match="kind made from philly 'mlbrokr'; did you mean mlbroker"):
        import_trace("philly", "absent.csv", "mlbrokr")


def test_an_unknown_option_names_the_importer_and_the_nearest_option(tmp_path):
    message = "import philly to gadget has no setting 'netwrok'; did you mean network"
    (tmp_path / "a.csv").touch()
    with pytest.raises(InvalidOption, match=message):
        import_trace("philly", tmp_path / "a.csv", "gadget", netwrok="x")


def test_a_unit_in_brackets_comes_before_one_outside():
    for header in ("hours (ms)", "(ms) hours", "run hours [ms]"):
        assert unit_in(header) == "ms"
    assert unit_in("ran [long] hours") == "h"  # no unit in brackets
