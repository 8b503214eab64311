"""Relaxations of kind coded: the linear program, truncation, and convex steps."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "assignment_lp": "sharing",
    "assignment_truncated": "sharing",
}
