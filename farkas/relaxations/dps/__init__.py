"""Relaxations of kind dps."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "interval_ip": "interval",
    "interval_lp": "interval",
}
