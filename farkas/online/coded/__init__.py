"""Algorithms and baselines of kind coded: who works for whom, and with how many rows."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "assignment_lp:priced": "sca",
    "brute_force": "exhaustive",
    "chance_search": "chance_plans",
    "expected": "sca",
    "iterated_greedy": "simple_greedy",
    "round_lp": "simple_greedy",
    "sca:parametric": "sca",
    "uncoded": "environment",
    "uniform": "environment",
}
