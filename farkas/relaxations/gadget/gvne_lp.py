"""Program gadget.gvne_lp."""

from farkas.models.gadget.gvne import Gvne


class GvneLP(Gvne):
    """Relaxation of GADGET (12)-(19) with fractional sizes, workers and ring edges.

    Its value is that of ``gadget.node_lp``: averaging the workers of a ring over their positions
    keeps all node loads and makes every ring edge start where it ends, so no link is used.
    """

    name = "gadget.gvne_lp"
    integral = False
