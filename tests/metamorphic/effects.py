"""What a transformation of an instance does to results: nothing, unless it stands here."""

from __future__ import annotations

import re
from collections.abc import Mapping

from farkas.tolerances import OUTWARD_CLOSE, SOLVER_GAP, ULP
from tests.metamorphic.units import JOINT, degree

VALUE = {"coded": "time", "dps": "money", "eris": "money", "gadget": "money", "mlbroker": "money"}
"""Unit of values, optima and bounds of a kind."""

UNITS = {
    # levels are rates of completion
    r"quantity coded\.(assignment|simple_greedy|iterated_greedy).*": "1/time",
    # these programs are told the speeds, or loads and times, as shares of the largest
    r"(program|convex) coded\.(assignment|expected_convex|sca|worst_simple_greedy).*": "",
    # probabilities, rows, jobs, servers, workers, whole slots
    r"quantity coded\.chance\.plan\[.*\]\.(at_time|expected_results|recoverable)": "",
    r"(quantity|program) dps\.(runtimes|placement|min_servers|pa_servers|.*_sequence).*": "",
    r"quantity dps\..*\.(served|explored|total_runtime)": "",
    r"quantity eris\.(algorithm2_feasible|eris_printed_infeasible_jobs).*": "",
    r"quantity gadget\.slot_counts": "",
    r"quantity gadget\.iteration_time": "time",
    r"quantity gadget\.efficiency_by_workers": "1/time",
    r"quantity mlbroker\.ratio_bound_printed": "",
    r"algorithm .*\.(ratio|violations)": "",
    r"algorithm .*\.decisions.*\.(payment|payoff_bound|worker_price|ps_price|gap)": "money",
    r"algorithm mlbroker\..*\.decisions\.moved\.amount": "data",
    r"algorithm .*\.decisions.*": "",
}
"""Units of other results, by pattern of sort, name and what stands above a number in it; the first
that fits."""

POSTED = re.compile(
    r"(quantity|program) eris\.(best_schedule|one_shot|payoff_bound|algorithm2|lagrangian"
    r"|eris_printed).*|algorithm eris\.(eris|tiresias|(antman|liquid)(?!\[)).*"
    r"|algorithm eris\..*\.decisions\.awards\.(payment|payoff_bound)"
)
"""Prices (6) of Eris are pure numbers a unit: what meets them sees all units change, or none."""

CLOSE = {
    # conic solvers measure in absolute tolerances and are given rows in the instance's units
    r"(quantity|convex) gadget\.worker_relaxation.*": SOLVER_GAP,
    # prices are decimals, of which the shortest that is the double is meant, in every unit anew
    r"quantity dps\.bfp": ULP,
    # outwards by a share that depends on the other multipliers
    r"program .*\.bound": OUTWARD_CLOSE,
}
"""Shares up to which results need to agree; everywhere else they are equal."""


def told(path: str, unit: str) -> bool:
    """Whether something is known of a result when this unit changes."""
    return unit == "all" or not POSTED.fullmatch(path)


def power(path: str, kind: str, unit: str) -> int:
    """Power of ``unit`` in the result at ``path``."""
    return degree(_first(UNITS, path, VALUE[kind]), unit_parts(kind, unit))


def unit_parts(kind: str, unit: str) -> tuple[str, ...]:
    """Base units that change with ``unit``."""
    return JOINT[kind] if unit == "all" else (unit,)


def share(path: str) -> float:
    """Share up to which the result at ``path`` may differ from what is expected."""
    return _first(CLOSE, path, 0.0)


def _first(table: Mapping[str, object], path: str, otherwise: object):
    fits = (value for pattern, value in table.items() if re.fullmatch(pattern, path))
    return next(fits, otherwise)
