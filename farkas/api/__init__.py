"""What one does with an instance: solve, explain, run, compare, check, list and show."""
