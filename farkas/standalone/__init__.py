"""A checker that is one file, needs nothing but Python, and shares nothing with the package."""
