"""Decides all that a person reads before deciding on a change, rendered from the record; it must never take words from a model."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import short
from steadyhand.core.clock import from_text, local
from steadyhand.core.ids import change_name
from steadyhand.core.language import Language, say
from steadyhand.gate import lines
from steadyhand.gate.controller import Controller
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow, DecisionRow


def review_text(controller: Controller, row: ChangeRow, language: Language, zone: str) -> str:
    """Return the request, the difference, how it is done, what it touches, the seal, the decisions and the state line.

    Moments are given in the person's *zone*.
    """
    parts = [say(language, "gate.review.request", request=row.request)]
    if row.spec is not None:
        route = " → ".join(cast("list[str]", row.route or []))
        parts += [say(language, "gate.review.spec", digest=short(row.spec_digest or "")), row.spec]
        parts += [say(language, "gate.review.route", route=route)] if route else []
    view = controller.view(row, language)
    if view is not None:
        program = cast("Mapping[str, Any]", row.program)
        how = say(language, f"gate.rollback.{controller.domains[row.domain].rollback}")
        parts += [
            "",
            view.text,
            "",
            say(language, "gate.review.rollback", how=how),
            say(language, "gate.review.footprint", regions=len(program["footprint"]), writes=len(program["writes"])),
            say(language, "gate.review.seal", digest=row.seal_digest),
            say(language, "gate.review.expires", when=_when(row.expires_at, zone)),
        ]
    return "\n".join([*parts, *_decisions(controller, row, language, zone), lines.line(row, language)])


def last_decision(tx: Tx, row: ChangeRow, language: Language, zone: str) -> str:
    """Return what was decided last on *row*, by whom, through which door and when; empty when nobody has."""
    decided = changes.decisions_of(tx, row.user_id, row.id)
    return _decided(decided[-1], language, zone) if decided else ""


def _decisions(controller: Controller, row: ChangeRow, language: Language, zone: str) -> list[str]:
    store = controller.store
    decided = store.read_now(lambda tx: changes.decisions_of(tx, row.user_id, row.id))
    earlier = store.read_now(lambda tx: changes.superseded_by(tx, row.user_id, row.number))
    told = [_decided(one, language, zone) for one in decided]
    return told + [say(language, "gate.review.superseded", name=change_name(number)) for number in earlier]


def _decided(one: DecisionRow, language: Language, zone: str) -> str:
    return say(
        language,
        "gate.review.decided",
        when=_when(one.at, zone),
        kind=say(language, f"gate.kind.{one.kind}"),
        by=say(language, f"gate.by.{one.decided_by}"),
        door=one.door,
    )


def _when(moment: str, zone: str) -> str:
    return local(from_text(moment), zone).strftime("%Y-%m-%d %H:%M")
