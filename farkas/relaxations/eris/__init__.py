"""Relaxations of kind eris: payoff bounds, Lagrangian bounds, column generation."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "column_prices": "welfare_bound",
    "pooled_prices": "welfare_bound",
}
