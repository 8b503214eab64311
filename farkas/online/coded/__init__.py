"""Algorithms and baselines of kind coded: who works for whom, and with how many rows."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "assignment_lp:sifting": "sca",
    "brute_force": "exhaustive",
    "chance_stretch": "chance_search",
    "expected": "sca",
    "sca:parametric": "sca",
    "iterated_greedy": "simple_greedy",
    "uncoded": "chance_plans",
    "uniform": "chance_plans",
}
