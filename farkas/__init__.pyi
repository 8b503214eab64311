from farkas.api.attack import attack as attack
from farkas.api.check import check as check
from farkas.api.compare import compare as compare
from farkas.api.dual import dual as dual
from farkas.api.load import load as load
from farkas.api.optimum import optimum as optimum
from farkas.api.prove import prove as prove
from farkas.api.run import evaluate as evaluate
from farkas.api.run import feed as feed
from farkas.api.run import run as run
from farkas.api.save import save as save
from farkas.api.show import list_algorithms as algorithms
from farkas.api.show import list_library as library
from farkas.api.show import list_programs as programs
from farkas.api.show import show as show
from farkas.api.solve import solve as solve
from farkas.api.worst import worst as worst
from farkas.api.worst import worst_known as worst_known
from farkas.api.worst_box import worst_box as worst_box
from farkas.errors import FarkasError as FarkasError
from farkas.experiments.plotting import plot as plot
from farkas.experiments.plotting import to_frame as to_frame
from farkas.instances import kinds as kinds
from farkas.instances.generate import generate as generate
from farkas.instances.traces import import_trace as import_trace
from farkas.online.policy import Policy as Policy
from farkas.proofs.claim import select as claims
from farkas.solvers import all_solvers as solvers

__version__: str

__all__ = [
    "FarkasError",
    "Policy",
    "__version__",
    "algorithms",
    "attack",
    "check",
    "claims",
    "compare",
    "dual",
    "evaluate",
    "feed",
    "generate",
    "import_trace",
    "kinds",
    "library",
    "load",
    "optimum",
    "plot",
    "programs",
    "prove",
    "run",
    "save",
    "show",
    "solve",
    "solvers",
    "to_frame",
    "worst",
    "worst_box",
    "worst_known",
]
