"""Relaxations of kind mlbroker."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "outer": "outer_job",
    "relaxed_by_job": "separated",
}
