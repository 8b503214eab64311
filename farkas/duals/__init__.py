"""Duals: mechanical ones of any linear form, and what the papers print."""

#: Modules of what is registered: programs, and restatements of certificates.
HOMES = {
    "coded.coded_chance": "coded",
    "coded.coded_chance_dedicated": "coded",
    "coded.coded_dedicated": "coded",
    "coded.coded_measured": "coded",
    "coded.coded_run": "coded",
    "dps.priced_tree": "dps",
    "eris.dual": "eris",
    "eris.priced_tree": "eris",
    "gadget.priced_tree": "gadget",
    "gadget.gadget.slot": "gadget",
    "mlbroker.dual": "mlbroker",
    "mlbroker.dual_as_printed": "mlbroker",
    "mlbroker.mlbroker_run": "mlbroker",
}
