"""Kind dps: which jobs to accept, where to place them, and the best fixed prices."""
