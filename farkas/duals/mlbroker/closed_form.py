"""The dual point of a run in closed form, and its multipliers for the traced relaxation."""

import numpy as np

from farkas.certificates.mlbroker import DualPoint
from farkas.forms import Block, LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.discount import growth
from farkas.numbers import Floats


def move_prices(data: Brokerage, saved: Floats) -> tuple[Floats, Floats]:
    """Multipliers of (8h) that slot optima call for, and those after departure.

    At the optimum of (10) more deployment saves (c/σ) ln((v(t)+ε)/(v(t−1)+ε)), so that subtracting
    it slot by slot from c telescopes to μ(t) = (c/σ) ln((1+ε)/(v(t−1)+ε)).  Prices of the solver
    fit its other multipliers better than logarithms of its v.  As printed, μ̃ has 1+σ for 1+ε and
    loses + ε; see errata.

    Parameters
    ----------
    saved
        Shape (pairs, sites), USD; derivative of the entropy term at v.

    Returns
    -------
    Shapes (pairs, sites) and (jobs, sites), USD, in [0, c].
    """
    most = np.repeat(data.deploy_cost[data.pair_job][:, None], data.num_sites, axis=1)
    move, left = most.copy(), np.zeros_like(most)
    for pair in range(data.num_pairs):
        if data.previous_pair[pair] >= 0:
            move[pair] = left[pair - 1]
        left[pair] = np.clip(move[pair] - saved[pair], 0.0, most[pair])
    return move, left[data.pair_start[1:] - 1]


def trajectory_bound(data: Brokerage, static: float, deployed: Floats) -> float:
    """Bound that exact slot optima prove: Σ static + Σ (c/σ) v(t) ln((v(t)+ε)/(v(t−1)+ε)), USD.

    Parameters
    ----------
    static
        C1 + C2 + C4 of the run under the relaxation, USD.
    deployed
        Shape (pairs, sites); v.
    """
    before = np.zeros_like(deployed)
    later = data.previous_pair >= 0
    before[later] = deployed[data.previous_pair[later]]
    scale = (data.deploy_cost / data.entropy_scale)[data.pair_job]
    return static + float(
        (scale[:, None] * deployed * growth(deployed, before, data.epsilon)).sum()
    )


def lift(form: LinearForm, point: DualPoint, data: Brokerage) -> Floats:
    """Multipliers of ``mlbroker.relaxed[...]`` (not sharp) from a dual point; shape (rows,).

    Parameters
    ----------
    form
        Traced relaxation of ``data``, of the variant the point belongs to.
    point
        From :func:`farkas.certificates.mlbroker.complete`.
    """
    first = data.previous_pair < 0
    busy = np.unique(data.pair_slot)
    values: dict[str, tuple[Floats, str]] = {
        "enough_workers": (point.alpha, "workers"),
        "all_data_moved": (point.beta, "moved"),
        "cost_at_list_price": (point.theta[busy], "resource_cost"),
        "cost_at_reduced_price": (point.rho[busy], "resource_cost"),
        "one_branch": (point.xi[busy], "not_list"),
        "cost_on_chord": (np.ones_like(point.xi[busy]), "resource_cost"),
        "one_server": (point.gamma, "server"),
        "present_where_used": (point.phi_server, "deployed"),
        "present_with_workers": (point.phi_worker, "deployed"),
        "present_with_server": (point.phi_server, "deployed"),
        "started_at_arrival": (point.mu[first], "started"),
        "started_when_new": (point.mu[~first], "started"),
        "workers_connect": (point.psi, "connected"),
        "server_is_connected": (point.eta, "connected"),
        "absent_where_unused": (point.omega, "workers"),
        "connect_to_server_only": (point.kappa, "server"),
    }
    multipliers = np.zeros(form.num_rows)
    for block in form.rows:
        numbers, column = values[block.name]
        multipliers[block.where] = _orientation(form, block, column) * numbers.reshape(-1)
    return multipliers


def _orientation(form: LinearForm, block: Block, column: str) -> float:
    """Sign that a variable has in a family when the family is written as in `DualPoint`."""
    if not block.size:
        return 1.0
    where = form.column_block(column).where
    entries = slice(form.matrix.starts[block.start], form.matrix.starts[block.stop])
    columns = form.matrix.columns[entries]
    inside = (columns >= where.start) & (columns < where.stop)
    # A family whose coefficients all vanished binds nothing; its sign does not matter.
    signs = np.sign(form.matrix.values[entries][inside])
    return float(signs[0]) if len(signs) else 1.0
