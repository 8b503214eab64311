"""Programs of kind eris."""
