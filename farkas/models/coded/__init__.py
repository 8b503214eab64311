"""Programs of kind coded and the closed forms they share."""

#: Modules of what is registered under another name than that of its module.
HOMES = {
    "assignment_by_type": "assignment",
    "expected_convex": "expected",
    "expected_integer": "expected",
}
