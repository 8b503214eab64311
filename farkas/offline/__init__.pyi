from farkas.offline.climbing import OfflineOptimum as OfflineOptimum
from farkas.offline.climbing import climb as climb
from farkas.offline.ladder import Ascent as Ascent
from farkas.offline.ladder import Climber as Climber
from farkas.offline.ladder import Ladder as Ladder
from farkas.offline.ladder import Rung as Rung
from farkas.offline.ladder import ladders as ladders
