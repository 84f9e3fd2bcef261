"""Decides how a packed body is unpacked without ever holding more than was asked for; it must not trust a length that was told."""

import zlib
from collections.abc import Callable

from steadyhand.core.errors import ToolRefusal

IDENTITY = frozenset({"", "identity"})
ACCEPTED = "gzip, deflate, identity"


class Unpacker:
    """Takes a body piece by piece and keeps at most *limit* bytes of what it says; *full* tells that there was more."""

    def __init__(self, encoding: str, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._unpack = _unpacking(encoding.strip().lower())
        self.full = False

    def take(self, piece: bytes) -> None:
        """Unpack *piece*; a body that is not packed as it says raises `ToolRefusal`."""
        room = self._limit - len(self._kept) + 1
        try:
            self._kept += self._unpack(piece, room)
        except zlib.error:
            raise ToolRefusal("web_body_broken") from None
        if len(self._kept) > self._limit:
            del self._kept[self._limit :]
            self.full = True

    @property
    def kept(self) -> bytes:
        """What was kept so far."""
        return bytes(self._kept)


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes]:
    if encoding in IDENTITY:
        return lambda piece, room: piece[:room]
    if encoding in {"gzip", "x-gzip"}:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress
    if encoding == "deflate":
        return _Deflated().decompress
    raise ToolRefusal("web_body_broken")


class _Deflated:
    """Servers mean two forms by this word; the first bytes tell which."""

    def __init__(self) -> None:
        self._head = b""
        self._inner: Callable[[bytes, int], bytes] | None = None

    def decompress(self, piece: bytes, room: int) -> bytes:
        if self._inner is None:
            self._head += piece
            if len(self._head) < 2:
                return b""
            with_header = self._head[0] & 0x0F == 8 and int.from_bytes(self._head[:2], "big") % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS).decompress
            piece, self._head = self._head, b""
        return self._inner(piece, room)
