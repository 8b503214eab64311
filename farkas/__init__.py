"""Certified online resource allocation for distributed machine-learning jobs.

>>> import farkas
>>> market = farkas.generate("mlbroker", "small", seed=0)
>>> run = farkas.run(market, "mlbroker.fractional[tight]")
>>> 1 <= run.ratio < 1.1
True

Every name below is imported when it is first used.
"""

import importlib

__version__ = "0.3.0.dev0"

#: Module and function behind every public name, as far as a verb has no module of its name.
_HOMES = {
    "FarkasError": "farkas.errors:FarkasError",
    "Policy": "farkas.online.policy:Policy",
    "algorithms": "farkas.api.show:list_algorithms",
    "claims": "farkas.proofs.claim:select",
    "evaluate": "farkas.api.run:evaluate",
    "feed": "farkas.api.run:feed",
    "generate": "farkas.instances.generate:generate",
    "import_trace": "farkas.instances.traces:import_trace",
    "kinds": "farkas.instances:kinds",
    "library": "farkas.api.show:list_library",
    "plot": "farkas.experiments.plotting:plot",
    "programs": "farkas.api.show:list_programs",
    "solvers": "farkas.solvers:all_solvers",
    "to_frame": "farkas.experiments.plotting:to_frame",
    "worst_known": "farkas.api.worst:worst_known",
}
_VERBS = "attack check compare dual load optimum prove run save show solve worst worst_box"
_HOMES |= {name: f"farkas.api.{name}:{name}" for name in _VERBS.split()}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        suggestion = importlib.import_module("farkas.messages.refusals").suggestion
        # tools ask for private names, and read no hint
        hint = "" if name.startswith("_") else suggestion(name, __all__)
        raise AttributeError(f"module 'farkas' has no attribute {name!r}{hint}")
    module, _, function = _HOMES[name].partition(":")
    home = importlib.import_module(module)
    called = home.__name__ == f"{__name__}.{name}"  # a package that is a function, too
    globals()[name] = found = home if called else getattr(home, function)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
