"""Programs of ring-all-reduce scheduling: one slot as network embedding, and the whole horizon."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "column_ip": "column",
    "column_lp": "column",
    "gvne_rows": "gvne",
}
