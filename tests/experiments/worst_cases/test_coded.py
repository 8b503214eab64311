"""Mean times of workers, by hand."""

from __future__ import annotations

from farkas.experiments.worst_cases.coded import loads
from farkas.instances import library


def test_bars_are_mean_times_and_shares() -> None:
    data = library.load("coded/tiny")
    share = [[0.0] * data.workers for _ in data.masters]
    rows = [[0.0] * data.workers for _ in data.masters]
    share[0][1], rows[0][1] = 0.25, 6.0
    rows[0][0] = 5.0  # no share: not computed
    layout = loads(data, [[{"share": share, "loads": rows}]])
    (block,) = layout.sides[0].blocks
    rate, shift = data.rate[0][1], data.shift[0][1]
    assert rate is not None
    assert shift is not None
    assert (block.lane, block.owner, block.start, block.amount) == (1, 0, 0.0, 0.25)
    assert abs(block.end - 6.0 * (shift + 1 / rate)) < 1e-12
    assert layout.end == block.end
    assert (
        layout.sides[0].remarks[0] == f"master 0 needs {data.masters[0].rows} rows: 6 of worker 1"
    )
    assert layout.sides[0].remarks[1].endswith(": none")
