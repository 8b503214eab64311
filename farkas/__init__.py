"""Certified online resource allocation for distributed machine-learning jobs.

>>> import farkas
>>> market = farkas.generate("mlbroker", "small", seed=0)
>>> run = farkas.run(market, "mlbroker.fractional")
>>> 1 <= run.ratio < 1.1
True

Every name below is imported when it is first used.
"""

import importlib

__version__ = "0.2.0"

_HOMES = {
    "algorithms": "farkas.verbs.listing:algorithms",
    "attack": "farkas.verbs.attack:attack",
    "check": "farkas.verbs.check:check",
    "claims": "farkas.proofs.claim:select",
    "compare": "farkas.verbs.compare:compare",
    "evaluate": "farkas.verbs.evaluate:evaluate",
    "feed": "farkas.verbs.feed:feed",
    "generate": "farkas.instances.generate:generate",
    "import_trace": "farkas.instances.traces:import_trace",
    "kinds": "farkas.instances:kinds",
    "library": "farkas.verbs.listing:library",
    "load": "farkas.instances.library:load_or_read",
    "optimum": "farkas.verbs.optimum:optimum",
    "plot": "farkas.experiments.plotting:plot",
    "programs": "farkas.verbs.listing:programs",
    "prove": "farkas.verbs.prove:prove",
    "run": "farkas.verbs.run:run",
    "save": "farkas.verbs.save:save",
    "show": "farkas.verbs.show:show",
    "solve": "farkas.verbs.solve:solve",
    "to_frame": "farkas.experiments.plotting:to_frame",
    "worst": "farkas.verbs.worst:worst",
    "worst_box": "farkas.verbs.worst_box:worst_box",
}
"""Module and function behind every public name."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'farkas' has no attribute {name!r}")
    module, _, function = _HOMES[name].partition(":")
    globals()[name] = found = getattr(importlib.import_module(module), function)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
