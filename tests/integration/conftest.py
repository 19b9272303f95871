"""What the tests of several rooms share."""

from tests.support.ladders import (
    command,
    enter,
    fake_host,
    home,
    ladder,
    make_bot,
    make_remote_bot,
    migrated,
    played,
    stopped_children,
    unhurried_disk,
)

__all__ = [
    "command",
    "enter",
    "fake_host",
    "home",
    "ladder",
    "make_bot",
    "make_remote_bot",
    "migrated",
    "played",
    "stopped_children",
    "unhurried_disk",
]
