"""Programs of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "best_schedule": "schedule_ilp",
    "offline_total": "offline",
    "schedule_lp": "schedule_ilp",
}
