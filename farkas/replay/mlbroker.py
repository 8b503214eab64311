"""Runs of kind mlbroker are not replayed: their value is their word."""

from farkas.replay.base import replays, unreplayed

replays.add("mlbroker", unreplayed)
