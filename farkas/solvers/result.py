"""What results of a solve answer to, in the words of users of solvers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from farkas.shown import ShowsItself, verb
from farkas.suggestions import suggestion

_WORDS = {
    "x": "primal solution variables",
    "objective": "obj objval objectivevalue optimalvalue fun opt optimum",
    "duals": "dual pi shadowprices marginals multipliers rowduals",
    "bound": "bestbound objbound dualbound lowerbound upperbound bestobjective",
    "gap": "mipgap relativegap",
    "seconds": "time runtime solvetime walltime elapsed",
    "status == 'optimal'": "success isoptimal optimal",
    "status": "terminationcondition solverstatus state",
    "to_pandas()": "todataframe todf df frame",
    "to_builtins()": "todict tojson json asdict",
    "load_into(model)": "load loadsolution writeback loadvars",
    "save(path)": "write tofile",
    "verify()": "certify proof check",
    "duals, which are those of rows": "reducedcosts rc",
}
ELSEWHERE = {other: word for word, others in _WORDS.items() for other in others.split()}
"""What is asked here, by the names of other packages without capitals and underscores."""


class SolveResult(ShowsItself):
    """What is known of the optimum of a program, in the words that users of solvers know.

    ``status``, ``objective``, ``bound``, ``gap``, ``x``, ``duals``, ``solver`` and ``seconds``.
    """

    __slots__ = ()

    to_frame = verb("to_frame")

    def to_pandas(self) -> Any:
        """Return a row for each variable, zeros too; of pandas or polars, else as dictionaries."""
        rows = [{"variable": name, "value": float(value)} for name, value in self.x.items()]
        return import_module("farkas.experiments.frames").framed(rows, ("variable", "value"))

    def __getattr__(self, name: str) -> Any:
        # tools that copy, pickle or display ask for private names, and read no hint
        hint = ""
        if not name.startswith("_"):
            there = ELSEWHERE.get(name.lower().replace("_", ""))
            known = [one for one in dir(type(self)) if not one.startswith("_")]
            hint = f"; use {there}" if there else suggestion(name, known)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    def summary(self) -> str:
        """Status, values and notes, a line each."""
        words = ("status", "objective", "bound", "gap", "solver", "seconds")
        shown = [(word, getattr(self, word)) for word in words]
        lines = [f"{word + ':':<11}{_plain(x)}" for word, x in shown if x is not None]
        notes = [f"{'note:':<11}{note}" for note in getattr(self, "notes", ())]
        return "\n".join([*lines, *notes])


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{float(value):.12g}"
