"""Families of instances built to make one point, with the size as a parameter."""
