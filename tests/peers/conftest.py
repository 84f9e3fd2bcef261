"""The ground that these tests stand on."""

from trial_domains.ground import folder, quiet_log, stand, stand_anywhere, stand_here, stand_now, stand_on_postgres

__all__ = ["folder", "quiet_log", "stand", "stand_anywhere", "stand_here", "stand_now", "stand_on_postgres"]
