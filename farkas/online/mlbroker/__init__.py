"""Kind mlbroker online: algorithms, baselines and what their decisions cost."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "central": "local",
    "gr": "fractional",
    "ir": "fractional",
    "mlbroker": "fractional",
    "oasis": "local",
    "one_shot": "local",
    "opt": "local",
    "pooled": "local",
}
