"""Programs of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "best_schedule_pairs": "best_schedule",
    "offline_total": "offline",
    "one_shot_pairs": "one_shot",
    "schedule_ilp": "schedules",
    "schedule_lp": "schedules",
}
