"""Readable versions of fast code, which the tests compare with it."""
