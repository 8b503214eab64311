"""Kind mlbroker online: algorithms, baselines and what their decisions cost."""
