"""Decides how a part is kept beside its deck so that it need not be read again; it must not give back another part, nor raise on damage."""

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.deck.cached_fields import fields_of, part_of
from steadyhand.domains.cae.engine.mesh import Labels, Mesh
from steadyhand.domains.cae.engine.part import Part, Sets

FORMAT = 2
"""Raised when what is stored changes its meaning; caches of other formats are read anew from their decks."""
MESH = {
    "xyz": np.float64,
    "node_labels": np.int64,
    "conn": np.int32,
    "sizes": np.int8,
    "element_labels": np.int64,
    "types": np.int32,
    "assigned": np.int32,
}
MEMBERS = ("node_members", "element_members", "held_nodes")
Arrays = dict[str, "NDArray[np.generic]"]


def save_cache(part: Part, path: Path, deck_sha256: str) -> None:
    """Keep *part*, which the deck with that SHA-256 tells, in *path*. The file is replaced whole."""
    arrays: Arrays = {name: np.ascontiguousarray(getattr(part.mesh, name)) for name in MESH}
    arrays["node_members"], nodes = _joined(part.node_sets)
    arrays["element_members"], elements = _joined(part.element_sets)
    arrays["held_nodes"] = np.ascontiguousarray(part.held_nodes)
    head = {"format": FORMAT, "deck": deck_sha256, "node_sets": nodes, "element_sets": elements, "part": fields_of(part)}
    text = json.dumps(head).encode()
    digest = np.frombuffer(_digest(text, arrays), np.uint8)
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as opened:
        np.savez(opened, allow_pickle=False, digest=digest, head=np.frombuffer(text, np.uint8), **arrays)
    beside.replace(path)


def load_cache(path: Path, deck_sha256: str) -> Part | None:
    """Return the part kept in *path*; None where there is none, or one of another deck or format, or one with any damage."""
    try:
        return _load(path, deck_sha256)
    except Exception:  # noqa: BLE001 # whatever a damaged file raises: the deck is still there to be read
        return None


def _load(path: Path, deck_sha256: str) -> Part | None:
    with path.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        text = bytes(stored["head"])
        head = json.loads(text)
        if head["format"] != FORMAT or head["deck"] != deck_sha256:
            return None
        arrays: Arrays = {name: stored[name] for name in (*MESH, *MEMBERS)}
        if _digest(text, arrays) != bytes(stored["digest"]):
            return None
    wanted = MESH | dict.fromkeys(MEMBERS, np.int64)
    if any(arrays[name].dtype != kind for name, kind in wanted.items()):
        return None
    part = part_of(head["part"])
    part.mesh = Mesh(**{name: arrays[name] for name in MESH})  # type: ignore[arg-type] # the kinds were compared above
    part.node_sets = _split(head["node_sets"], arrays["node_members"])
    part.element_sets = _split(head["element_sets"], arrays["element_members"])
    part.held_nodes = arrays["held_nodes"].astype(np.int64, copy=False)
    return part


def _digest(head: bytes, arrays: Arrays) -> bytes:
    digest = hashlib.sha256(head)
    for name, values in arrays.items():
        digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
        digest.update(values.data if values.size else b"")
    return digest.digest()


def _joined(sets: Sets) -> "tuple[Labels, list[tuple[str, int]]]":
    """Return the members of all sets, one after the other, and how many each has."""
    members = np.concatenate((np.zeros(0, np.int64), *sets.values()))
    return members, [(name, len(labels)) for name, labels in sets.items()]


def _split(counts: "list[tuple[str, int]]", members: "NDArray[np.generic]") -> Sets:
    sets: Sets = {}
    at = 0
    for name, count in counts:
        sets[name] = members[at : at + count].astype(np.int64)
        at += count
    return sets
