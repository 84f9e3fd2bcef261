"""The ground that the store's tests stand on."""

from store.ground import later, store

__all__ = ["later", "store"]
