"""Claims of the mlBroker paper, and of its corrections."""
