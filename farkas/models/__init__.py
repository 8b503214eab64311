"""The published programs, one a file."""
