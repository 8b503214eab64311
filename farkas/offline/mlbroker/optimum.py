"""The cheapest placement of kind mlbroker when all data volumes are known."""

from farkas.offline.ladder import Ladder, ladders
from farkas.offline.mlbroker.at_once import at_once
from farkas.offline.mlbroker.tolls import tolls
from farkas.offline.policies import policies

ladders.add(
    "mlbroker.optimum",
    Ladder(
        "mlbroker.optimum",
        climbers=(
            at_once,
            tolls,
            policies("mlbroker.one_shot", "mlbroker.central", "mlbroker.local"),
        ),
        options={"semantics": "strict"},
    ),
)
