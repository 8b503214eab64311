"""Relaxations of ring scheduling: of one slot, and of the whole horizon."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "augmented": "embedding",
    "gvne_lp": "embedding",
    "local_node_lp": "embedding",
    "node_lp": "embedding",
}
