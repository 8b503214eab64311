"""Stands in for OR-tools: answers what the options of the question say."""

from __future__ import annotations

import json

import numpy as np

from farkas.solvers.process import Arrays, Words


def answered(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    told = json.loads(words["options"]["say"])
    if told.get("status") == "optimal or either" and not words["feasibility"]:
        told["status"] = "either"
    elif told.get("status") == "optimal or either":
        told["status"] = "optimal"
    if "asked" in told:  # what was asked comes back in the words of the failure
        shown = {name: a.tolist() for name, a in arrays.items()}
        kept = {name: value for name, value in words.items() if name != "options"}
        return {"status": "error", "message": json.dumps([kept, shown])}, {}
    found = {name: np.array(v, dtype=float) for name, v in told.pop("arrays", {}).items()}
    return told, found
