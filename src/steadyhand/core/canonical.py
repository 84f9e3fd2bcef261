"""Decides the one byte form of a value (RFC 8785), so that a digest means the same on any machine. It must not hash secrets."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import rfc8785

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 bytes of *value*: sorted keys, shortest numbers, ``-0`` as ``0``.

    Raises `ValueError` for NaN, infinities and integers beyond 2**53 - 1.
    """
    try:
        return rfc8785.dumps(cast("dict[str, object]", value))  # type: ignore[arg-type]  # any JSON value is accepted
    except rfc8785.CanonicalizationError as error:
        raise ValueError(str(error)) from error


def digest(value: Json) -> str:
    """Return the SHA-256 of the canonical bytes as 64 lowercase hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of raw bytes as 64 lowercase hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


SHORT = 8


def short(full: str) -> str:
    """Return the part of a digest that people read and type back: its first eight digits."""
    return full[:SHORT]
