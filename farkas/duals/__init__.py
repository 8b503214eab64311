"""Duals: mechanical ones of any linear form, and what the papers print."""

#: Modules of what is registered: programs, and restatements of certificates.
HOMES = {
    "dps.priced_tree": "dps",
    "eris.dual": "eris",
    "eris.priced_tree": "eris",
    "mlbroker.dual": "mlbroker",
    "mlbroker.dual_as_printed": "mlbroker",
    "mlbroker.mlbroker_run": "mlbroker",
}
