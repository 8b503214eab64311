"""Kind dps: which jobs to accept, and where to place them."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "min_servers": "placement",
    "offline_lp": "offline",
    "placement_sequence": "placement",
}
