"""Ring schedulers that learn of jobs as they arrive: GADGET and the baselines."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "circulation:columns": "columns",
    "circulation:exact": "columns",
    "columns": "gadget",
    "drf": "fixed_rings",
    "fifo": "fixed_rings",
    "greedy_exact": "gadget",
    "las": "fixed_rings",
}
