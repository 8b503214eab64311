"""Tables with a header: damage is named by file, line and column."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem
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
