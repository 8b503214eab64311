"""One look for every plot, on paper and on screen."""
