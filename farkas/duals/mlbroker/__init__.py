"""Duals of kind mlbroker: by hand, as printed, and the audit of the printed one."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "dual_as_printed": "dual",
    "mlbroker_run": "restated",
}
