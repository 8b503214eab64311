"""Kind mlbroker: placement, resource and deployment decisions of a broker."""

#: Modules of what is registered under another name than that of its module.
HOMES = {"offline": "placement", "one_shot": "placement", "recourse": "placement"}
