"""Kind mlbroker online: algorithms, baselines and what their decisions cost."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "central": "local",
    "gr": "rounded",
    "ir": "rounded",
    "mlbroker": "rounded",
    "oasis": "myopic",
    "one_shot": "myopic",
    "opt": "local",
    "pooled": "local",
}
