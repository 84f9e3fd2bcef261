"""Decides the one byte form of a value (RFC 8785), so that a digest means the same on any machine. It must not hash secrets."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

import rfc8785

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

SAFE = 2**53 - 1
LONGEST = 10**21
"""From here on the form of a double has an exponent, so that no integer is one."""
FEW_KEYS = 64
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, check_circular=False, separators=(",", ":"))
FIRST_SURROGATE = "\ud800"
"""Below it, characters and UTF-16 units are in the same order."""


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 bytes of *value*: sorted keys, shortest numbers, ``-0`` as ``0``.

    Raises `ValueError` for NaN, infinities, and integers beyond 2**53 - 1 that are not the shortest form of a double: those
    that are come from a double which was written and read back.
    """
    try:
        return _dumps(value)
    except rfc8785.IntegerDomainError:
        return _dumps(_as_doubles(value))
    except rfc8785.CanonicalizationError as error:
        raise ValueError(str(error)) from error


def _dumps(value: Json) -> bytes:
    if _is_plain(value):
        return _ENCODER.encode(value).encode()
    return rfc8785.dumps(cast("dict[str, object]", value))  # type: ignore[arg-type]  # any JSON value is accepted


def _is_plain(value: Json) -> bool:
    """Tell whether the standard encoder, ten times as fast, writes *value* in the same bytes.

    It does but for doubles, integers that no double is, and keys with characters that UTF-16 sorts otherwise.
    """
    waiting: list[Iterable[object]] = [[value]]
    while waiting:
        for node in waiting.pop():
            kind = type(node)
            if kind is str or kind is bool or node is None:
                continue
            if kind is int:
                if not -SAFE <= cast("int", node) <= SAFE:
                    return False
            elif kind is dict:
                entries = cast("dict[object, object]", node)
                if not (_are_plain if len(entries) <= FEW_KEYS else _are_plain.__wrapped__)(tuple(entries)):
                    return False
                waiting.append(entries.values())
            elif kind is list or kind is tuple:
                waiting.append(cast("list[object]", node))
            else:
                return False
    return True


@lru_cache(maxsize=1024)
def _are_plain(keys: tuple[object, ...]) -> bool:
    """Tell it of keys; thousands of rows have the same ones."""
    return all(type(key) is str and (key.isascii() or max(key) < FIRST_SURROGATE) for key in keys)


def _as_doubles(value: Json) -> Json:
    """Return *value* with every large integer as the double whose shortest form it is."""
    if isinstance(value, Mapping):
        return {key: _as_doubles(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_as_doubles(inner) for inner in value]
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) <= SAFE:
        return value
    if abs(value) < LONGEST and rfc8785.dumps(float(value)) == str(value).encode():
        return float(value)
    raise ValueError("an integer that no double is")


def digest(value: Json) -> str:
    """Return the SHA-256 of the canonical bytes as 64 lowercase hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of raw bytes as 64 lowercase hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def legible(text: str) -> str:
    """Return *text* as any database can keep it: half surrogate pairs become ``?``, the character NUL becomes U+FFFD."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


SHORT = 8


def short(full: str) -> str:
    """Return the part of a digest that people read and type back: its first eight digits."""
    return full[:SHORT]
