"""Runs replayed: what decisions are worth and whether they keep the rules, in exact arithmetic."""

from farkas.replay.base import (
    Replay,
    Requirements,
    RunDecisions,
    audit,
    excess_words,
    is_as_decided,
    replay,
    replayed_ratio,
    replays,
    unread,
)

__all__ = [
    "Replay",
    "Requirements",
    "RunDecisions",
    "audit",
    "excess_words",
    "is_as_decided",
    "replay",
    "replayed_ratio",
    "replays",
    "unread",
]  # fmt: skip
