"""Runs of kind eris are not replayed: their value is their word."""

from farkas.replay.base import replays, unreplayed

replays.add("eris", unreplayed)
