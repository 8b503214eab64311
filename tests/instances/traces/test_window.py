"""Windows: where they begin, what is inside, and what is counted as left out."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from farkas.errors import InvalidOption
from farkas.instances.traces.importer import Account
from farkas.instances.traces.market import Window


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


def test_an_empty_trace_has_an_empty_window():
    assert cut(Window()) == ([], Account())


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
