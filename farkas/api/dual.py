"""The dual of a linear program of one's own, or of an instance, and what it looks like in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.api.inputs import as_instance
from farkas.api.prove import as_doubles, built, own_model, without_program
from farkas.duals.dualize import DualForm, dualize
from farkas.errors import InvalidOption, require_type
from farkas.forms import Block
from farkas.instances import library
from farkas.numbers import Floats
from farkas.relaxations.integrality import relax as without_integrality


def dual(model: Any, program: str | Formulation | None = None, *, relax: bool = False) -> DualForm:
    """Derive the dual of a linear program.

    Parameters
    ----------
    model, program
        As of `farkas.solve`: a model of its own, or an instance and the name of a program.
    relax
        Drop integrality first; whole numbers have no linear dual.

    Returns
    -------
    Its ``form`` is the dual, which `farkas.solve` and `farkas.prove` take; ``lift`` and ``embed``
    turn points of the dual into multipliers of rows and back.

    Raises
    ------
    UnsupportedForm
        A variable is integer, or the program is not linear.
    FileProblem, InvalidOption, UnknownName
        As of `farkas.solve`.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.dual("mlbroker/tiny", "mlbroker.relaxed[tight]")
    >>> round(farkas.solve(found.form).objective, 6), float(farkas.prove(found).value)
    (16.8, 16.8)
    """
    require_type(relax, bool, "relax")
    own = own_model(model, program)
    if own is None:
        instance = as_instance(model)
        if program is None:
            raise without_program(instance)
        require_type(program, (str, Formulation), "program")
        form = (built(program) if isinstance(program, str) else program).form(instance)
    else:
        form = as_doubles(own)
    return dualize(without_integrality(form) if relax else form)


def dual_words(name: str) -> str:
    """Say what the dual of a program's relaxation has, on a shipped instance of its kind."""
    program = built(name)
    known = library.names(program.kind)
    if not known:
        raise InvalidOption(f"--dual: no instance of kind {program.kind} ships to show it on")
    tiny = f"{program.kind}/tiny"
    instance = tiny if tiny in known else known[0]
    form = dual(instance, program, relax=True).form
    lines = [f"dual of {program.full_name} on {instance}, {form.sense}imised"]
    lines += ["", "multipliers, named after constraints and bounds:"]
    lines += [_said(block, form.lower, form.upper, "0") for block in form.columns]
    lines += ["", "constraints, named after variables:"]
    lines += [_said(block, form.row_lower, form.row_upper, "its cost") for block in form.rows]
    return "\n".join(lines)


def _said(block: Block, lower: Floats, upper: Floats, side: str) -> str:
    """Say whether a family of the dual is >=, <= or = its side, or free."""
    here = slice(block.start, block.stop)
    low, high = np.isfinite(lower[here]), np.isfinite(upper[here])
    signs = {(True, False): ">=", (False, True): "<=", (True, True): "=", (False, False): "free"}
    found = sorted({signs[pair] for pair in zip(low.tolist(), high.tolist(), strict=True)})
    index = ",".join(label for axis in block.axes for label in axis.labels)
    said = " or ".join(sign if sign == "free" else f"{sign} {side}" for sign in found)
    return f"  {block.name}[{index}] {said}"
