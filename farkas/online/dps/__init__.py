"""Kind dps online: pricing and placement algorithms, baselines, and simulation."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "best_fit": "seller",
    "bfp_coord": "fixed_prices",
    "bfp_fluid": "fixed_prices",
    "bfp_grid": "fixed_prices",
    "dps": "learning",
    "dps_pairs": "pairs",
    "dps_random_placement": "learning",
    "dps_scaled": "learning",
    "fixed_price": "seller",
    "pa": "seller",
    "placement": "seller",
    "placement:pa": "seller",
    "random": "seller",
    "simple": "learning",
    "top": "learning",
}
