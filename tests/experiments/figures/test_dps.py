"""Figures of kind dps: what they show is what the sellers earn."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import farkas
from farkas.experiments.figures import Agreement, Statement, coded, dps, figures, of_kind
from farkas.experiments.figures.coded import (
    LP,
    MS,
    _first,
    cluster,
    joint_law,
    latest_quantile,
    law_by_master,
    mean_times,
    plan,
    simulate,
    told,
)
from farkas.experiments.figures.dps import (
    EXPLORED,
    NAMES,
    better_early,
    cumulated,
    falls_sooner,
    final,
    market,
    play,
)
from farkas.experiments.figures.exhibit import Preset, Series
from farkas.experiments.figures.gadget import (
    BOUND,
    GADGET,
    POLICIES,
    SLOTS,
    _highest,
    embedded_share,
    unit_sweep,
)
from farkas.instances import library
from farkas.online import algorithms
from farkas.replay.base import decoded
from farkas.replay.gadget import Ring
from tests.experiments.figures.made import findings, reduced


def test_exploration_is_capped_unless_a_figure_asks_for_more() -> None:
    sizes = {"num_jobs": 30, "horizon": 30, "num_servers": 2}
    plain, more = market(False, 0, **sizes), market(False, 0, {"explore_cap": 0.5}, **sizes)
    assert plain.dps.explore_cap == EXPLORED
    assert more.dps.explore_cap == 0.5
    assert plain.replace(dps=None) == more.replace(dps=None)


@pytest.mark.parametrize("law", [0.5, 3.0])
def test_a_map_says_for_which_budgets_a_statement_holds(law, monkeypatch) -> None:
    def holding(preset, seed, changes):
        spread, low = changes["budget_spread"], changes["price"][0]
        return [
            Statement("much", spread >= 1 or spread == law, f"ratio {spread:g}"),
            Statement("dear", (low, spread) == (0.5, law), f"{low:g}"),
        ]

    monkeypatch.setattr(dps, "_holding", holding)
    table = figures["dps.table1"].data("reduced")
    among = "0.5, 1, 2" if law == 0.5 else "1, 2"
    assert table.rows[0] == ["much", *[among] * 3, "0 to 2"]
    last = "0.5" if law == 0.5 else "none"
    assert table.rows[1] == ["dear", "none", "none", last, "0.02 to 0.5"]
    holds = [finding.holds for finding in table.findings]
    assert holds == [True, law == 0.5, law == 0.5]
    assert table.findings[1].note == "; ".join(table.rows[1][1:])


@pytest.mark.slow
def test_statements_on_budgets_are_computed_from_runs() -> None:
    law = {"budget_spread": 0.25, "price": [0.02, 0.2]}
    said = {one.statement: one for one in dps._holding(Preset("reduced", 2), 0, law)}
    markets = [market(False, seed, **law) for seed in (0, 1)]
    ours, best, apart = (
        sum(play(seller, one, seed).profit for seed, one in enumerate(markets))
        for seller in ("dps", "bfp_coord", "dps_random_placement")
    )
    assert said["DPS earns more than BFP"].note == f"ratio {ours / best:.2f}"
    assert said["DPS earns more than DPS-RS"].holds == (ours > apart)
    assert float(said["regret is at most 0 from slot 3140 on"].note) >= round((best - ours) / 2)


def test_profit_cumulated_over_slots_ends_at_the_profit() -> None:
    instance = market(False, 0, num_jobs=60, horizon=60, num_servers=2)
    done = play("simple", instance)
    so_far = cumulated(done, 60)
    assert so_far.shape == (60,)
    assert so_far[-1] == pytest.approx(done.profit)


@pytest.mark.slow
def test_regret_is_the_best_fixed_price_less_the_seller() -> None:
    lines = {line.name: line for line in reduced("dps", "2").series}
    assert list(lines) == list(NAMES.values())
    for line in lines.values():
        low, mean, high = (np.asarray(v) for v in (line.low, line.y, line.high))
        assert (low <= mean).all()
        assert (mean <= high).all()
    ends = []
    for seed in (0, 1):
        instance = market(False, seed)
        ends.append(play("bfp_coord", instance).profit - play("top", instance, seed).profit)
    assert lines[NAMES["top"]].y[-1] == pytest.approx(np.mean(ends))


@pytest.mark.slow
def test_every_algorithm_has_a_bar_and_the_print_is_scaled_to_that_of_dps() -> None:
    figure = reduced("dps", "3")
    ((bars,), (printed,)) = figure.series, figure.published
    assert bars.x[:5] == [*NAMES.values(), "BFP"]
    heights = dict(zip(bars.x, bars.y, strict=True))
    earned = [play("top", market(False, seed), seed).profit for seed in (0, 1)]
    assert heights[NAMES["top"]] == pytest.approx(np.mean(earned))
    assert heights["DPS, θ of the formula"] == 0.0
    scaled = dict(zip(printed.x, printed.y, strict=True))
    assert scaled["DPS"] == heights["DPS"] == pytest.approx(2.38 * scaled["Random"])
    held = {finding.statement: finding.holds for finding in figure.findings}
    assert held["DPS earns more than Random"] == (heights["DPS"] > heights["Random"])


@pytest.mark.slow
@pytest.mark.parametrize("number", ["2", "4"])
def test_captions_say_what_was_run_against_what_was_published(number: str) -> None:
    one, words = market(False, 0), reduced("dps", number).caption
    jobs = "600, 1,200, 2,400" if number == "4" else f"{one.num_jobs:,}"
    assert f"{one.num_servers} servers (50), {jobs} jobs (about 10,000)" in words
    assert "1,200 slots (10,000), 4 and 3 types (15 and 10), 2 seeds (not said)" in words


def test_the_last_value_of_a_line_is_final() -> None:
    assert final([Series("a", [0, 1], [5.0, 2.0]), Series("b", [0], [1.0])]) == {"a": 2.0, "b": 1.0}


def test_regret_falls_sooner_for_more_jobs_where_peaks_come_sooner() -> None:
    late, soon = Series("N", [0, 1, 2, 3], [1, 2, 9, 3]), Series("2 N", [0, 1, 2, 3], [1, 9, 4, 3])
    assert falls_sooner([late, soon]).holds
    assert not falls_sooner([soon, late]).holds
    assert not falls_sooner([late, Series("2 N", [0, 1, 2, 3], [1, 2, 3, 4])]).holds


def test_little_exploration_has_to_be_better_early_and_worse_in_the_end() -> None:
    # early is a tenth of the slots: after a fifth it is worse already
    falls = [0.0, 0.0] + [2.0] * 8 + [9.0]
    low, high = Series("low", range(11), falls), Series("high", range(11), [1.0] * 11)
    assert better_early(low, high).holds
    assert not better_early(high, low).holds
    worse = Series("worse", range(11), [0.0, 2.0] + [0.0] * 8 + [9.0])
    assert not better_early(worse, high).holds  # in the end, but not early


def test_jobs_served_are_counted_from_one_and_runtimes_only_add_up() -> None:
    for line in reduced("dps", "7").series:
        assert line.x[0] == 1
        assert (np.diff(line.y) >= 0).all()


@pytest.mark.slow
def test_profit_over_time_ends_at_the_mean_profit_of_each_seller() -> None:
    lines = {line.name: line for line in reduced("dps", "7b").series}
    assert list(lines) == ["DPS", "DPS-RS", "BFP"]
    for name, seller in zip(lines, ("dps", "dps_random_placement", "bfp_coord"), strict=True):
        ends = [play(seller, market(False, seed), seed).profit for seed in (0, 1)]
        assert lines[name].y[-1] == pytest.approx(np.mean(ends))
        assert (np.diff(lines[name].y) >= 0).all()


def test_one_figure_is_met_and_two_in_their_shapes():
    agreements = [exhibit.agreement for exhibit in of_kind("coded")]
    assert agreements == [Agreement.REPRODUCED, Agreement.TREND, Agreement.TREND]


@pytest.mark.slow
def test_distributions_are_distributions_and_meet_the_published_quantiles():
    data, found = reduced("coded", "2"), findings("coded", "2")
    for series in data.series:
        assert all(b >= a - 1e-12 for a, b in zip(series.y, series.y[1:], strict=False))
        assert 0 <= min(series.y) <= max(series.y) <= 1
    assert all(found.values())
    assert all("per master" in printed.name for printed in data.published)
    # what is said to be reproduced are quantiles of the printed split, not of the linear program
    values = [line.note for line in data.findings if "1.38" in line.statement]
    late = [
        np.mean([latest_quantile(seed, name) for seed in (0, 1)])
        for name in ("Algorithm 3 from Algorithm 2", "coded.expected")
    ]
    assert [note.split()[0] for note in values] == [f"{mean:.3f}" for mean in late]
    assert [line.about for line in data.findings if "1.38" in line.statement] == ["value", "ours"]


def test_the_printed_split_starts_where_its_line_says(monkeypatch):
    asked = []

    def policy(**options):
        asked.append(options)
        return algorithms["coded.uniform"].policy()

    monkeypatch.setattr(coded, "algorithms", {"coded.sca": SimpleNamespace(policy=policy)})
    for name in ("Algorithm 2", "equal shares"):
        plan(f"Algorithm 3 from {name}", cluster(2, 4, 0), 0)
    assert asked == [{"split": "printed", "start_at": one} for one in ("greedy", "uniform")]


def test_a_level_is_reached_between_the_times_drawn():
    curve = Series("law", [1.0, 2.0, 4.0], [0.0, 0.9, 1.0])
    assert _first(curve, 0.98) == pytest.approx(2.0 + 2.0 * 0.8)
    assert _first(Series("slow", [1.0, 2.0], [0.0, 0.9]), 0.98) == np.inf


@pytest.mark.slow
def test_published_savings_are_not_reproduced_but_the_order_is():
    data, found = reduced("coded", "3"), findings("coded", "3")
    assert not found["more than 80 % below uncoded"]
    assert not found["more than 49 % below coded uniform"]
    assert found["proposed before coded uniform before uncoded"]
    # savings over what the last master takes, drawn where it is
    assert [printed.x for printed in data.published] == [["last"], ["last"]]
    assert data.published[0].y == pytest.approx([0.2 * data.series[0].y[-1]])
    assert data.published[1].y == pytest.approx([0.51 * data.series[1].y[-1]])


@pytest.mark.slow
def test_convex_approximation_falls_towards_the_linear_program():
    data, found = reduced("coded", "4"), findings("coded", "4")
    assert data.caption.startswith("Run: M = 2, N = 12, L = 10,000, 2 instances")
    assert found["never below the linear program"]
    assert found["below iterated greedy at the end, for some α"]
    assert found["from equal shares above iterated greedy, for every α"]
    assert len(data.series) == 8
    for series in data.series[:6]:
        assert all(b <= a * (1 + 1e-6) for a, b in zip(series.y, series.y[1:], strict=False))
    # a good start is one: below every iterate from the other
    good, equal = (np.array([line.y for line in data.series[k : k + 3]]) for k in (0, 3))
    assert (good[:, 0] < equal[:, -1]).all()


def test_means_are_those_of_every_master_and_of_the_last():
    for seed in (0, 1):
        *own, last = means = mean_times(seed, "coded.uniform", 4_000)
        assert len(set(means)) == 5
        assert max(own) < last < sum(own)
        data = cluster(4, 50, seed)
        made = plan("coded.uniform", data, seed)
        sample = simulate(data, made, 20_000, np.random.default_rng(seed + 100))
        # of 4,000 draws of another seed, whose spread is about a third of their mean
        assert np.array(own) / MS == pytest.approx(sample.times.mean(axis=0), rel=0.03)


def test_quantiles_that_are_met_per_master_lie_beside_curves_per_master():
    times = list(np.linspace(400.0, 2400.0, 25))
    for name in ("coded.iterated_greedy", LP):
        own, last = np.array([law_by_master(0, name, times), joint_law(0, name, times)])
        assert (own >= last - 1e-12).all()
        assert (own > last + 0.01).any()


def test_a_figure_says_the_size_it_was_drawn_at_and_the_split():
    caption = told(2, 12, "M = 4, N = 50", range(2))
    assert caption.startswith(
        "Run: M = 2, N = 12, L = 10,000, 2 instances; published: M = 4, N = 50"
    )
    assert "split printed" in caption
    assert "Left out by the paper" in caption
    (exhibit,) = [one for one in of_kind("coded") if one.label == "figure4"]
    assert "50 workers" not in exhibit.title


TINY = library.load("gadget/tiny")


def test_the_share_is_of_the_jobs_that_are_active() -> None:
    # of the two jobs one has arrived in slot 0, and a ring of three workers serves it
    assert TINY.active(0).tolist() == [True, False]
    ring = Ring(job=0, workers=((0, 1),))
    nothing: list[list[Ring]] = [[] for _ in range(TINY.horizon - 1)]
    busy = sum(TINY.active(slot).any() for slot in range(TINY.horizon))
    assert embedded_share(TINY, [[ring], *nothing]) == 1 / busy


def test_a_figure_of_gadget_draws_and_says_what_ran() -> None:
    """The printed algorithm stands beside column slots; data and caption are those of the runs."""
    figure = unit_sweep("server_scale", [1.0, 2.0], Preset("reduced", 1), 3, 4, horizon=2)
    lines = {line.name: line.y for line in figure.series}
    broken = []
    assert list(lines) == list(SLOTS)
    for name, (rule, options) in SLOTS.items():
        for place, scale in enumerate((1.0, 2.0)):
            size = {"num_servers": 6, "horizon": 2, "num_jobs": 4, "arrivals": "start"}
            drawn = GADGET.draw(3, **size, server_scale=scale)
            run = farkas.run(drawn, f"gadget.{rule}", **options)
            broken += run.violations if name == "GADGET" else []
            first, second = decoded(run.decisions, list[list[Ring]])
            # who is done after the first slot is not active in the second
            left = 4 - sum(ring.size >= drawn.most_slots[ring.job] for ring in first)
            share = (len(first) / 4 + len(second) / left) / 2
            assert lines[name][place] == pytest.approx(share)
        said = " ".join(f"{key}={value}" for key, value in options.items())
        assert f"{name}: gadget.{rule} {said}".rstrip() in figure.caption
    assert figure.caption.startswith(
        "6 servers (published 50), 2 slots (200), 4 jobs (not published), 1 instances from seed 3"
    )
    assert "utilities: sigmoid (sigmoid)" in figure.caption
    # a verdict is that of the printed line
    about = {found.statement.partition(" rises")[0]: found.about for found in figure.findings}
    kept = "printed rounds keep all capacities"
    assert about == dict.fromkeys([*SLOTS, kept], "ours") | {"GADGET": "shape"}


@pytest.mark.slow
def test_utilities_are_at_most_their_proved_bound() -> None:
    lines = {line.name: np.asarray(line.y) for line in reduced("gadget", "4").series}
    assert list(lines) == [*POLICIES, BOUND]
    bound = lines.pop(BOUND)
    for values in lines.values():
        assert (values > 0).all()
        assert (values <= bound * (1 + 1e-9)).all()
    runs = [
        GADGET.run("fifo", GADGET.draw(seed, num_servers=6, horizon=30, num_jobs=20))
        for seed in (0, 1)
    ]
    assert lines["FIFO"][0] == pytest.approx(np.mean([run.value for run in runs]))


@pytest.mark.slow
def test_the_line_of_the_paper_is_its_algorithms_and_ours_is_named_apart() -> None:
    figure = reduced("gadget", "4")
    assert "GADGET is Algorithms 1 and 2" in figure.caption
    drawn = [GADGET.draw(seed, num_servers=6, horizon=30, num_jobs=80) for seed in (0, 1)]
    lines = {line.name: line.y[2] for line in figure.series}
    runs = {"GADGET": ("gadget", {}), "columns, printed gains": ("columns", {"fill": True})}
    for name, (rule, options) in runs.items():
        mean = np.mean([GADGET.run(rule, one, **options).value for one in drawn])
        assert lines[name] == pytest.approx(mean)
    assert lines["GADGET"] < 0.8 * lines["columns, printed gains"]


@pytest.mark.slow
def test_the_print_is_held_against_printed_gains() -> None:
    kinds = {one.statement: one.about for one in reduced("gadget", "4").findings}
    assert kinds["GADGET is highest"] == "shape"
    assert kinds["columns, printed gains is highest"] == "ours"
    highest, more = _highest("GADGET", [3.0, 5.0], [2.0, 4.0])
    assert (highest.holds, highest.note, more.holds) == (True, "ahead by 1, 1", False)
    highest, more = _highest("GADGET", [1.0, 5.0], [2.0, 4.0])
    assert (highest.holds, more.holds) == (False, True)
