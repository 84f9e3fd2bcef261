"""Decides which functions may be run as jobs and how one is found by its name; it must not run them."""

import importlib
import re
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import Bug

Arguments: TypeAlias = Mapping[str, Json]


class Report(Protocol):
    """Tells the parent how far the work is; *total* is 0 while it is not known."""

    def __call__(self, done: int, total: int, note: str = "") -> None: ...


Body: TypeAlias = Callable[[Arguments, bytes, Report], Json]
"""Work addressed by name: JSON arguments and raw bytes in, a JSON value out. It starts no processes of its own."""

_NAME = re.compile(r"steadyhand(?:\.[a-z_][a-z0-9_]*)+:[a-z_][a-z0-9_]*")
_MARK = "steadyhand_body"


def body(function: Body) -> Body:
    """Mark *function* as one that may be addressed by name."""
    setattr(function, _MARK, True)
    return function


def name_of(function: Body) -> str:
    """Return the address of a marked function, ``package.module:function``."""
    return f"{function.__module__}:{function.__name__}"


def require_address(address: str) -> None:
    """Raise `Bug` unless *address* has the form of a body inside this package; nothing is imported."""
    if not _NAME.fullmatch(address):
        raise Bug("job_body_unknown", body=address)


def find(address: str) -> Body:
    """Return the body at *address*: a marked function that its own module defines. Anything else raises `Bug`."""
    require_address(address)
    module_name, _, function_name = address.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise Bug("job_body_unknown", body=address) from error
    found = getattr(module, function_name, None)
    if getattr(found, _MARK, False) is not True or getattr(found, "__module__", "") != module_name:
        raise Bug("job_body_unknown", body=address)
    return cast("Body", found)
