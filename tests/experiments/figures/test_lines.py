"""Lines over a setting are means over seeds, and their notes are the numbers behind them."""

from __future__ import annotations

from farkas.experiments.figures.lines import by_name, mean_lines


def silent(done, total):
    """Nobody watches."""


def test_a_line_is_the_mean_over_the_seeds_with_their_range():
    # at value 2: seeds 1 and 4 measure 2 + 1 = 3 and 2 + 4 = 6, so 4.5 in [3, 6]
    def measure(value, seed):
        return {"sum": value + seed, "product": value * seed}

    lines = mean_lines([2, 5], [1, 4], measure, silent, ranges=True)
    assert by_name(lines) == {"sum": [4.5, 7.5], "product": [5.0, 12.5]}
    assert (lines[0].x, lines[0].low, lines[0].high) == ([2, 5], [3, 6], [6, 9])


def test_lines_without_ranges_have_none():
    (line,) = mean_lines([1.0], [0], lambda value, seed: {"a": value}, silent)
    assert (line.y, line.low, line.high) == ([1.0], None, None)


def test_progress_counts_every_measurement():
    told = []
    mean_lines([1, 2], [0, 1, 2], lambda value, seed: {"a": 0.0}, lambda *step: told.append(step))
    assert told == [(done, 6) for done in range(1, 7)]
