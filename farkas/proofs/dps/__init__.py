"""Claims of DPS and what became of them."""
