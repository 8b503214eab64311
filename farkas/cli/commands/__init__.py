"""One module a command; its function ``command`` becomes ``farkas NAME``."""
