"""Ring schedulers that learn of jobs as they arrive: GADGET and the baselines."""
