"""Kind dps: prices of capacity that bound every run."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "dps_prices": "restated",
}
