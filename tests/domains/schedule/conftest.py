"""The ground that these tests stand on."""

from schedule_ground.fixtures import desk, desk_anywhere, desk_now, desks_anywhere
from trial_domains.ground import quiet_log

__all__ = ["desk", "desk_anywhere", "desk_now", "desks_anywhere", "quiet_log"]
