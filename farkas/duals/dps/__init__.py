"""Kind dps: prices of capacity that bound every run."""
