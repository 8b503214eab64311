"""A guide's dual point as multipliers of the traced relaxation."""

from __future__ import annotations

from farkas.algebra import programs
from farkas.certificates.mlbroker import MlbrokerPrices, complete
from farkas.duals.mlbroker.closed_form import lift
from farkas.duals.restated import restatements
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats


@restatements.register("mlbroker.mlbroker_run")
def restated(certificate: MlbrokerPrices, data: Brokerage) -> tuple[str, LinearForm, Floats]:
    """Complete the guide and lift the dual point."""
    form = programs.build(certificate.subject).form(data)
    guide = certificate.read_guide(data)
    point = complete(data, guide, certificate.relax, certificate.semantics)
    return certificate.subject, form, lift(form, point, data)
