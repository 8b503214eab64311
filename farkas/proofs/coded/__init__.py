"""Claims of the paper on coded computation, and of farkas about it."""
