"""The ground that these tests stand on."""

from jobs.ground import _children_see_the_trial_bodies, house, store

__all__ = ["_children_see_the_trial_bodies", "house", "store"]
