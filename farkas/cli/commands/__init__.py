"""One module a command; its function ``command`` becomes ``farkas NAME``."""

ORDER = {
    name: place
    for place, name in enumerate(
        ["demo", "run", "compare", "solve", "optimum", "worst", "prove", "evaluate", "check",
         "claims", "list_", "show", "generate", "import_", "solvers", "doctor"]
    )
}  # fmt: skip
"""Order in which help lists the commands; others follow by name."""
