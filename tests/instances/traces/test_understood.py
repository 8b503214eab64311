"""Spans, dates and units in words."""

from __future__ import annotations

import time

import pytest

from farkas.instances.traces.importer import (
    SECONDS,
    SPELT,
    Account,
    moment,
    other_unit,
    span,
    spans,
    unit_in,
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


def test_a_unit_that_is_the_settings_own_is_no_warning():
    for unit in SECONDS:
        for said in SECONDS:
            found = other_unit(f"ran ({said})", unit, "duration_unit")
            assert (found is None) == (unit == said)
    assert other_unit("shift (seconds)", "s", "time_unit") is None
    assert other_unit("shift (ms)", "seconds", "time_unit") is not None


def test_spans_are_told_in_a_unit_that_is_easily_read():
    assert [span(x) for x in (0, 0.5, 1, 119, 120, 7199, 7200, 431_999, 432_000)] == [
        "0 s", "500 ms", "1 s", "119 s", "2 min", "120 min", "2 h", "120 h", "5 d",
    ]  # fmt: skip
    assert span(86_400 * 120) == "120 d"
    assert spans([3.0, 3.0]) == "3 s"
    assert spans([1.0, 2.0, 60.0]) == "1 s to 60 s, median 2 s"


def test_times_beyond_the_calendar_are_seconds():
    assert moment(1e18, dated=True) == "1e+18 s"
    assert moment(-5.0, dated=True) == "1969-12-31 23:59:55"
    assert moment(1_507_532_515.0, dated=False) == "2017-10-09 07:01:55"


def test_nothing_left_out_is_no_word():
    assert Account().words("jobs") == Account({"incomplete": 0}).words("jobs") == ""
    assert Account({"late": 1}).words("jobs") == "1 job left out: late"


def test_a_unit_in_brackets_comes_before_one_outside():
    for header in ("hours (ms)", "(ms) hours", "run hours [ms]"):
        assert unit_in(header) == "ms"
    assert unit_in("ran [long] hours") == "h"  # no unit in brackets


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
