"""Decides what a spec digest and a seal cover, and whether a digest that a door sends is the one that is stored. It must not store."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import SHORT, Json, canonical, digest, digest_bytes
from steadyhand.gate.contract import Program
from steadyhand.store.changes.changes import ChangeRow

HEX = re.compile(rf"[0-9a-f]{{{SHORT},64}}")


def target_json(row: ChangeRow) -> Json:
    """Return the frozen target as it stands in a digest."""
    return {"domain": row.domain, "name": row.target_name, "key": row.target_key, "shared": row.target_shared}


def spec_digest(row: ChangeRow, spec: str) -> str:
    """Return the digest that confirming accepts: request, target, footprint as observed, and the spec as shown."""
    seen = cast("Mapping[str, Json]", row.observation or {})
    return digest({"request": row.request, "target": target_json(row), "footprint": seen.get("footprint"), "spec": spec})


def program_json(program: Program) -> Json:
    """Return a program as it is stored."""
    stored = {field.name: getattr(program, field.name) for field in dataclasses.fields(program)}
    return cast("Json", {**stored, "writes": list(program.writes)})


def program_of(row: ChangeRow) -> Program:
    """Rebuild the program from the stored bytes."""
    stored = cast("dict[str, Any]", row.program)
    values: dict[str, Any] = {**stored, "writes": tuple(stored["writes"])}
    return Program(**values)


def program_digest(program: Program) -> str:
    """Return the digest of the text that will run."""
    return digest_bytes(program.text.encode())


def seal_text(row: ChangeRow) -> str:
    """Return the sealed document, as canonical JSON, built from what is stored of the change."""
    program = cast("Mapping[str, Json]", row.program)
    document: dict[str, Json] = {
        "change": row.id,
        "number": row.number,
        "user": row.user_id,
        "session": row.session_id,
        "request": row.request,
        "observation": digest(row.observation),
        "target": target_json(row),
        "footprint": program["footprint"],
        "spec_digest": row.spec_digest,
        "operations": row.operations,
        "program": program,
        "rehearsal": row.rehearsal,
        "compiler": program["compiler"],
        "engine": program["engine"],
        "policy": row.policy,
        "expiry": row.expires_at,
    }
    return canonical(document).decode()


def seal_digest(text: str) -> str:
    """Return the digest that approving accepts."""
    return digest_bytes(text.encode())


def seal_holds(row: ChangeRow) -> bool:
    """Recompute the seal and the program's digest from the stored bytes; tell whether both are what was sealed."""
    if row.program is None or row.seal is None or row.seal_digest is None:
        return False
    try:
        text, runs = seal_text(row), program_digest(program_of(row))
    except (KeyError, TypeError, ValueError, AttributeError):  # what is stored is no program any more
        return False
    return text == row.seal and seal_digest(text) == row.seal_digest and runs == row.program_digest


def matches(given: str, stored: str | None) -> bool:
    """Tell whether *given* is the stored digest or at least its first eight digits, as a person types them."""
    given = given.strip().lower()
    return stored is not None and HEX.fullmatch(given) is not None and stored.startswith(given)
