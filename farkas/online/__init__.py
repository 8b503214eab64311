"""Online policies and the driver that runs them."""
