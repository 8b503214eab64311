"""Algorithms and baselines of kind coded: who works for whom, and with how many rows."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "brute_force": "exhaustive",
    "expected": "sca",
    "uncoded": "blocks",
    "uniform": "blocks",
}
