"""Programs of kind coded and the closed forms they share."""
