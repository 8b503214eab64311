"""Closed-form duals of ring scheduling."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "gadget.horizon": "restated",
    "gadget.slot": "restated",
}
