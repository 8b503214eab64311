"""Runs of kind gadget are not replayed: their value is their word."""

from farkas.replay.base import replays, unreplayed

replays.add("gadget", unreplayed)
