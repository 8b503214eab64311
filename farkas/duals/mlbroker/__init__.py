"""Duals of kind mlbroker: by hand, as printed, and the audit of the printed one."""
