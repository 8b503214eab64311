"""Relaxations of kind mlbroker."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "one_shot:slot_tree": "slot_trees",
    "regularized:cutting_planes": "slot_solver",
    "regularized:filling": "slot_transport",
}
