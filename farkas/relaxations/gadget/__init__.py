"""Relaxations of ring scheduling: of one slot, and of the whole horizon."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "local_node_lp": "embedding",
    "node_lp": "embedding",
    "worker_relaxation": "workers",
}
