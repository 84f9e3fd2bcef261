"""Every table of the database, for migrations and checks: each room's `tables` is found, none is listed. It must not define one."""

import pkgutil
from importlib import import_module

from steadyhand import store
from steadyhand.store.database.metadata import metadata

__all__ = ["metadata"]

for _room in pkgutil.iter_modules(store.__path__, "steadyhand.store."):
    if _room.ispkg and any(one.name == "tables" for one in pkgutil.iter_modules(import_module(_room.name).__path__)):
        import_module(f"{_room.name}.tables")
