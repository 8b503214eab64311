"""Duals of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "dual": "schedule_dual",
    "eris_prices": "restated",
}
