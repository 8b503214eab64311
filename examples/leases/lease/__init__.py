"""Requests that lease a part of one of several equal machines for some slots, or are refused."""
