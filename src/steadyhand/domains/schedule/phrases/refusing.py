"""Decides how a tool's refusal is told to a person; it must not tell more than the tool did."""

from steadyhand.core.language import has
from steadyhand.llm.rules.book import Answer, Asked, Outcome

MOST_TOLD = 400


def refused(asked: Asked, outcome: Outcome, **params: object) -> Answer:
    """Word a refusal by its reason where that is known, else by its code; what is not known is told as the tool told it."""
    reason = outcome.fields.get("reason")
    for key in (reason, outcome.code):
        message = f"schedule.say.refused.{key}"
        if isinstance(key, str) and has(asked.language, message):
            return Answer(asked.say(message, **{"task": "", "day": "", **params}), well=False)
    told = outcome.text.strip()[:MOST_TOLD]
    return Answer(told or asked.say("schedule.say.refused_unsaid"), well=False)
