"""The command line: parse, call, print."""

from farkas.cli.app import call, main

__all__ = ["call", "main"]
