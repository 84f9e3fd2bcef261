"""The ground that these tests stand on."""

from command_line.september import september
from peers.conversation import talk
from trial_domains.ground import folder, quiet_log, stand, stand_anywhere, stand_here, stand_now, stand_on_postgres
from wakeups.conftest import bed_for

__all__ = [
    "bed_for",
    "folder",
    "quiet_log",
    "september",
    "stand",
    "stand_anywhere",
    "stand_here",
    "stand_now",
    "stand_on_postgres",
    "talk",
]
