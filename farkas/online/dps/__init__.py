"""Kind dps online: pricing and placement algorithms, baselines, and simulation."""
