"""Programs of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "offline_total": "offline",
    "schedule_ilp": "schedules",
    "schedule_lp": "schedules",
}
