"""Duals of kind coded: prices of masters, and the multiplier of one master's rows."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "coded_chance": "restated",
    "coded_chance_dedicated": "restated",
    "coded_dedicated": "restated",
    "coded_measured": "restated",
    "coded_run": "restated",
    "loads_dual": "assignment_dual",
}
