from __future__ import annotations

import numpy as np
import pytest

from farkas import instances
from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.instances.traces import import_trace, kinds_of, sources
from tests.tools.shared import shared

# Slots of one hour from 08:00: arrivals in slots 0, 0, 2; the fourth comes after the window of
# three slots, the fifth holds no GPU.  Lines are not in order of time, as in the trace.
PHILLY = """\
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 10:59:59,60.0,2,120.0,beta
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,7201.0,1,7201.0,alpha
2017-10-09 11:00:00,60.0,1,60.0,alpha
2017-10-09 09:00:00,60.0,0,0.0,alpha
"""
PRICES = """\
instance,gpu,gpu_count,vcpu,memory,network,region,on_demand_usd_per_hour,reserved_usd_per_hour
g4.big,T4,4,48,192 GB,50 Gigabit,west,8.0,4.0
g4.big,T4,4,48,192 GB,50 Gigabit,east,6.0,5.0
g4.big,T4,4,48,192 GB,50 Gigabit,north,6.0,
g5.big,A10,8,48,192 GB,50 Gigabit,east,60.0,50.0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "philly.csv").write_text(PHILLY)
    (tmp_path / "prices.csv").write_text(PRICES)
    return tmp_path


def brokerage(folder, **options):
    given = {"prices": str(folder / "prices.csv"), "instance": "g4.big", "slots": 3, **options}
    return import_trace("philly", folder / "philly.csv", "mlbroker", **given)


def test_jobs_outside_the_window_are_counted(folder):
    imported = brokerage(folder)
    assert imported.kept == imported.instance.num_jobs == 3
    assert imported.dropped == {"outside the window": 1, "without a GPU": 1}
    assert (
        imported.report() == "3 jobs imported; 2 left out (1 outside the window, 1 without a GPU)"
    )


def test_windows_come_from_submit_time_and_duration(folder):
    data = brokerage(folder).instance
    # 7,200 s are two slots, 7,201 s three (cut at the horizon), 60 s one.
    assert data.arrival.tolist() == [0, 0, 2]
    assert data.departure.tolist() == [1, 2, 2]


def test_gpu_prices_are_per_gpu_and_slot_in_regions_with_both_prices(folder):
    data = brokerage(folder, slot_seconds=1800.0, slots=6).instance
    # Sites east, west by name: 6/4 and 8/4 USD per GPU hour, half of it per slot.
    assert data.base_price[0][0] == 0.75
    assert data.base_price[1][0] == 1.0
    assert [row[0] for row in data.discount_price] == [0.625, 0.5]
    # Other resources cost the published daily price for half an hour.
    assert all(0.13 / 48 <= row[1] <= 0.24 / 48 for row in data.base_price)


def test_data_fill_the_workers_of_all_gpus(folder):
    data = brokerage(folder, load=[1.0, 1.0]).instance
    assert data.workers_needed.tolist() == [4, 4, 1, 1, 1, 2]
    assert data.worker_demand[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert data.server_demand[:, 0].tolist() == [0.0, 0.0, 0.0]


def test_the_window_can_begin_anywhere(folder):
    later = brokerage(folder, start="2017-10-09 10:00", slots=2).instance
    assert later.arrival.tolist() == [0, 1]
    assert brokerage(folder, start=7200.0, slots=2).instance.arrival.tolist() == [0, 1]


def test_the_window_begins_where_the_trace_is_busy(folder):
    # one stray job three days before the other three: 25 windows of three hours, 0.2 jobs in an
    # average one, so the stray job's window counts; with 80 jobs on one day it does not
    stray = "2017-10-06 08:00:00,60.0,1,60.0,stray\n"
    (folder / "philly.csv").write_text(PHILLY + stray)
    assert brokerage(folder).instance.jobs[0].name.startswith("stray@")
    (folder / "philly.csv").write_text(PHILLY + stray + PHILLY.partition("\n")[2] * 20)
    imported = brokerage(folder)
    assert imported.instance.jobs[0].name.startswith("alpha@")
    assert imported.kept == 63
    assert brokerage(folder, start=0.0).kept == 1


def test_the_earliest_jobs_are_kept(folder):
    imported = brokerage(folder, jobs=1)
    assert imported.instance.jobs[0].name.startswith("alpha@")
    assert imported.dropped["beyond the number asked for"] == 2


def test_an_import_is_repeatable_and_tells_its_choices(folder):
    first, again = brokerage(folder, seed=5).instance, brokerage(folder, seed=5).instance
    assert first == again
    assert brokerage(folder, seed=6).instance.sha256 != first.sha256
    assert instances.read_bytes(instances.to_bytes(first)) == first
    for word in ("east, west", "g4.big", "seed 5", "slot_seconds", "outside the window"):
        assert word in first.description
    assert str(folder) not in first.description


def test_an_empty_trace_gives_an_instance_without_jobs(folder):
    (folder / "philly.csv").write_text(PHILLY.splitlines()[0] + "\n")
    assert brokerage(folder).instance.num_jobs == 0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("7201.0,1,", "many,1,", r"philly.csv: line 4: duration = 'many'; expected a number"),
        ("7201.0,1,", "nan,1,", "line 4: duration = 'nan'; expected a finite number"),
        ("7201.0,1,", "-1,1,", "line 4: duration = '-1'; expected a number >= 0"),
        ("7201.0,1,", "7201.0,1.5,", "line 4: num_gpus = '1.5'; expected an integer >= 0"),
        ("7201.0,1,", "7201.0,,", "line 4: num_gpus = ''; expected a number"),
        ("2017-10-09 08:00:00", "yesterday", "line 3: timestamp = 'yesterday'; expected a time"),
        (",28800.0,alpha", ",28800.0", "line 3: 4 cells, but 5 columns"),
        ("num_gpus", "gpus", "line 1: no column num_gpus"),
        (PHILLY, "", "line 1: no column timestamp, duration"),
        ("alpha", '"alpha', "philly.csv: line"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(folder, before, after, message):
    (folder / "philly.csv").write_text(PHILLY.replace(before, after, 1))
    with pytest.raises(FileProblem, match=message) as caught:
        brokerage(folder)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused(folder):
    (folder / "philly.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileProblem, match="is not text in UTF-8"):
        brokerage(folder)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("8.0,4.0", "8.0,9.0", "prices.csv: line 2: expected GPUs >= 1 and 0 <= reserved"),
        ("g4.big,T4,4", "g4.big,T4,0", "line 2: expected GPUs >= 1"),
        ("east,6.0", "west,6.0", "line 3: g4.big in west stands twice"),
    ],
)
def test_a_damaged_price_table_is_refused(folder, before, after, message):
    (folder / "prices.csv").write_text(PRICES.replace(before, after, 1))
    with pytest.raises(FileProblem, match=message):
        brokerage(folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instance": "g4.bog"}, "no prices for instance 'g4.bog'; did you mean g4.big"),
        ({"slot": 3}, "no setting 'slot'; did you mean slots"),
        ({"slots": 0}, r">= 1 - at `\$\.slots`"),
        ({"slot_seconds": 0}, r"> 0.0 - at `\$\.slot_seconds`"),
        ({"start": "soon"}, "start = 'soon'; give seconds after the first job, or a time"),
        ({"prices": ""}, r"name the price table \(prices\)"),
        ({"load": [1.0, 0.6]}, r"load = \[1.0, 0.6\]; the lower end comes first"),
    ],
)
def test_wrong_options_are_refused(folder, options, message):
    with pytest.raises(InvalidOption, match=message):
        brokerage(folder, **options)


def test_no_region_with_both_prices_is_refused(folder):
    (folder / "prices.csv").write_text(PRICES.replace("8.0,4.0", "8.0,").replace("6.0,5.0", ",5.0"))
    with pytest.raises(InvalidOption, match="no region quotes both prices"):
        brokerage(folder)


def test_unknown_sources_and_kinds_name_the_known_ones(folder):
    with pytest.raises(UnknownName, match="unknown trace source 'phily'; did you mean philly"):
        import_trace("phily", folder / "philly.csv", "mlbroker")
    with pytest.raises(UnknownName, match="did you mean mlbroker"):
        import_trace("philly", folder / "philly.csv", "mlbrokr")
    assert "mlbroker" in kinds_of("philly")
    assert "philly" in sources()


def test_the_public_trace_becomes_a_brokerage_of_23_regions():
    prices = shared("data", "prices", "gpu_prices.csv")
    imported = import_trace(
        "philly", shared("data", "philly", "philly.csv"), "mlbroker", seed=1,
        prices=str(prices), start="2017-10-09 07:00", slots=12, jobs=40,
    )  # fmt: skip
    data = imported.instance
    assert (data.num_sites, data.num_jobs, data.num_slots) == (23, 40, 12)
    assert imported.kept + imported.dropped.total() == 82_247
    gpu = data.list_price[:, 0]
    assert np.all(data.reduced_price[:, 0] < gpu)
    assert np.all((gpu > 0.5) & (gpu < 2.0))  # g4dn.12xlarge: about 4 to 7 USD per hour for 4 GPUs
