"""The fastest plans of kind coded: shared workers, dedicated ones, and those for P1."""

from farkas.offline.coded.budgets import within_budgets
from farkas.offline.coded.in_time import in_time
from farkas.offline.coded.loads import every_load, searched_loads
from farkas.offline.coded.owners import DedicatedEnvironment, owners_tree
from farkas.offline.coded.sharing import sharing
from farkas.offline.ladder import Ladder, ladders
from farkas.offline.policies import policies
from farkas.online.coded.chance_plans import ChancePlanner

ladders.add(
    "coded.optimum",
    Ladder("coded.optimum", climbers=(policies("coded.simple_greedy"), sharing)),
)

ladders.add(
    "coded.dedicated_optimum",
    Ladder(
        "coded.dedicated_optimum",
        climbers=(policies("coded.simple_greedy"), owners_tree),
        problem="coded.assignment",
        judge=DedicatedEnvironment,
        restricted=True,
    ),
)

ladders.add(
    "coded.chance_optimum",
    Ladder(
        "coded.chance_optimum",
        climbers=(
            in_time,
            policies("coded.chance_stretch"),
            every_load,
            searched_loads,
            within_budgets,
        ),
        problem="coded.chance",
        judge=ChancePlanner,
    ),
)
