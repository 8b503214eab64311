"""Program mlbroker.offline."""

from farkas.algebra import option
from farkas.models.mlbroker.discount import Choice
from farkas.models.mlbroker.slot import PlacementProgram


class Offline(PlacementProgram, Choice):
    """Cheapest placement when all data volumes are known.  mlBroker (8).

    Every variant of one ``semantics`` has the same optimum; they differ in the bound of their
    linear relaxations and in how fast they solve.  ``prices`` writes the discount (7) with a
    single constant M, with two constants per site, resource and slot, or as a multiple choice;
    the last two relax to the convex envelope.  ``presence`` writes (8g) with the global constant U
    or split in two rows with the job's own bound.
    """

    name = "mlbroker.offline"
    prices: str = option("single", "two", "choice")
    presence: str = option("global", "split")
