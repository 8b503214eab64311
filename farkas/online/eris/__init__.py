"""Online algorithms and baselines of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "liquid": "antman",
    "tiresias": "antman",
    "best_schedule:dp": "eris",
    "best_schedule:exact": "eris",
    "best_schedule:printed": "eris",
}
