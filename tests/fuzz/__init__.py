"""Certificates changed at random: nothing false may be accepted, and nothing may break.

`Attack` is one way to make files, with the truth about them; ``python -m tests.fuzz`` runs all of
them for as long as asked, and the tests a little.
"""
