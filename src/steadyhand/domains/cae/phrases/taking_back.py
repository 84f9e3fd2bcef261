"""Decides how the last change of a part is taken back without a model: it is proposed, by the number found. It must not decide the change."""

from typing import Any

from steadyhand.core.ids import change_name
from steadyhand.llm.rules.book import Answer, Asked, Call, Steps


def plan(asked: Asked) -> Steps:
    """Look which change altered the part last, and propose to undo it."""
    about: dict[str, Any] = {"part": asked.slots["part"]} if "part" in asked.slots else {}
    (found,) = yield [Call("part_results", about)]
    if not found.ok:
        return Answer(found.text, well=False)
    number = found.fields.get("last_change")
    if not isinstance(number, int):
        return Answer(asked.say("cae.phrases.nothing_to_undo", part=found.fields.get("part", "")), well=False)
    (outcome,) = yield [Call("propose_undo", {"number": number}, acts=True)]
    if not outcome.ok:
        return Answer(outcome.text, well=False)
    return Answer(asked.say("session.say.undo_proposed", name=change_name(number)))
