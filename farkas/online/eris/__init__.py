"""Online algorithms and baselines of kind eris."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "": "environment",
    "best_schedule:dp": "eris",
    "best_schedule:exact": "eris",
    "best_schedule:printed": "eris",
    "liquid": "antman",
    "one_shot:dp": "deployment",
    "tiresias": "antman",
}
