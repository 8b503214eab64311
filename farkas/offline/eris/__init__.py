"""What searches for the offline optimum of kind eris."""
