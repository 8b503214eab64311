"""One module a command; its function ``command`` becomes ``farkas NAME``."""

ORDER = {
    name: place
    for place, name in enumerate(
        ["demo", "run", "compare", "solve", "optimum", "worst", "prove", "evaluate", "check",
         "claims", "show", "generate", "import_", "solvers"]
    )
}  # fmt: skip
"""Order in which help lists the commands; others follow by name."""
