"""Online algorithms and baselines of kind eris."""
