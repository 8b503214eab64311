"""Instances: strict reading, canonical writing, generators, importers."""
