"""Claims of the papers with executable verdicts."""
