"""Claims of the GADGET paper."""
