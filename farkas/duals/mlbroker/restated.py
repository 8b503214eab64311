"""A guide's dual point as multipliers of the traced relaxation."""

from __future__ import annotations

from farkas.algebra import programs
from farkas.certificates.mlbroker import MlbrokerPrices, complete
from farkas.duals.mlbroker.closed_form import lift
from farkas.duals.restated import Restatement, restatements
from farkas.instances.mlbroker import Brokerage


@restatements.register("mlbroker.mlbroker_run")
def restated(certificate: MlbrokerPrices, data: Brokerage) -> Restatement:
    """Complete the guide and lift the dual point."""
    form = programs.build(certificate.subject).form(data)
    guide = certificate.read_guide(data)
    point = complete(data, guide, certificate.relax, certificate.semantics)
    return Restatement(form, lift(form, point, data))
