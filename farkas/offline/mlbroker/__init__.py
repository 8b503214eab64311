"""What searches for the offline optimum of kind mlbroker."""
