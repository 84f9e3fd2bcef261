"""The ground that these tests stand on."""

from trial_domains.ground import folder, quiet_log, stand

__all__ = ["folder", "quiet_log", "stand"]
