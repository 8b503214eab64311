from farkas.solvers.answer import Answer as Answer
from farkas.solvers.answer import Conclusion as Conclusion
from farkas.solvers.answer import Reason as Reason
from farkas.solvers.base import Ability as Ability
from farkas.solvers.base import Access as Access
from farkas.solvers.base import Availability as Availability
from farkas.solvers.base import Status as Status
from farkas.solvers.base import availability as availability
from farkas.solvers.base import backend as backend
from farkas.solvers.base import backends as backends
from farkas.solvers.base import solve as solve
from farkas.solvers.base import status as status
from farkas.solvers.options import Options as Options
from farkas.solvers.session import Session as Session

def all_solvers() -> list[Status]: ...
