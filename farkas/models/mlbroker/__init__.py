"""Kind mlbroker: placement, resource and deployment decisions of a broker."""
