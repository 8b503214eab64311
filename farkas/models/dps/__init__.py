"""Kind dps: which jobs to accept, where to place them, and the best fixed prices."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "bfp": "best_fixed_price",
    "min_servers": "placement",
    "offline_lp": "offline",
    "placement_sequence": "placement",
}
