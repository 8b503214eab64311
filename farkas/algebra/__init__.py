"""Rules written once in Pyomo's syntax, traced to sparse arrays or executed by Pyomo."""
