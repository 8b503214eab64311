"""Online algorithms and baselines, their driver, and the certified runs they leave.

What runs and records is imported when it is first used: reading a run needs none of it.
"""

from farkas.registry import when_used

__getattr__ = when_used(
    __name__,
    {
        "driver": "Algorithm Demo Environment Outcome algorithm algorithms demos environment "
        "environments write_run",
        "loop": "drive",
        "policy": "Policy",
        "run": "Bound Manifest Run Slot read_run",
    },
)
