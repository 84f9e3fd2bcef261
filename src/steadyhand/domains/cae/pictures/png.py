"""Decides how pixels become a PNG, with the standard library alone; it must not decide what is drawn."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_RGB, _INDEXED = 2, 3


def indexed_png(pixels: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """Return *pixels* (h, w), places in *palette* (n, 3), as PNG; place 0 is see-through."""
    extra = _chunk(b"PLTE", palette.astype(np.uint8).tobytes()) + _chunk(b"tRNS", b"\x00")
    return _png(pixels[:, :, None], _INDEXED, extra)


def rgb_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return *pixels* (h, w, 3) as PNG."""
    return _png(pixels, _RGB, b"")


def _png(pixels: NDArray[np.uint8], kind: int, extra: bytes) -> bytes:
    height, width = pixels.shape[:2]
    lines = np.zeros((height, 1 + width * pixels.shape[2]), np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = pixels.reshape(height, -1)
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
    data = _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
    return b"\x89PNG\r\n\x1a\n" + head + extra + data + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
