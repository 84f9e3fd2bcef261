"""Decides how a reminder that is asked for without a model is booked, or what is asked where its time is not certain. It must not guess one."""

from collections.abc import Sequence
from typing import Literal

from steadyhand.core.canonical import Json
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Outcome, Plan, Steps, finished
from steadyhand.llm.rules.riders import rider
from steadyhand.llm.rules.said import is_quoted
from steadyhand.wakeups import telling
from steadyhand.wakeups.booking import LONGEST_NAME
from steadyhand.wakeups.days_off import days_off, without
from steadyhand.wakeups.moments import Read, Unsure, When, Wrong, read_when, spoken

LONGEST_LABEL = 100
MOST_OFFERED = 9
ASKING = ("吗", "么", "呢")
"""Signs at the end of a question; that which ends a request is none of its words."""

Form = Literal["remind", "ask"]


def by_person(asked: Asked) -> bool:
    """Tell whether the words are the person's, and not those of a list or of a task that comes by the clock."""
    return asked.context.get("origin", "person") == "person"


def not_here(asked: Asked) -> Answer:
    """Say that this is done in the person's own messages alone."""
    return Answer(asked.say("wakeups.say.only_by_person"), well=False)


def book(form: Form) -> Plan:
    """Return the plan that books what is to be said, or asked, at a time or again and again."""

    def plan(asked: Asked) -> Steps:
        if not by_person(asked):
            return not_here(asked)
        unread = _rider(asked)
        if unread:
            return Answer(asked.say("rules.rider", words=unread), well=False)
        when = yield from time_of(asked)
        if isinstance(when, Answer):
            return when
        return (yield from (_again if when.moment is None else _once)(asked, when, form, _words(asked)))

    return plan


def _words(asked: Asked) -> str:
    """Return the person's words that are kept: the fewest that they can be, a question with the sign of one at its end."""
    name = next(one for one in ("what", "before", "question") if one in asked.slots)
    least = asked.slots[name]
    if name != "question":
        return least
    others = [slots[name] for slots in asked.readings if slots["when"] == asked.slots["when"]]
    return next((one for one in others if one in {least + sign for sign in ASKING}), least)


def _rider(asked: Asked) -> str:
    """Return the words that ask for more, or less, than is booked: a limit, a correction, a second time, days off of what has none."""
    found, what = spoken(asked.slots["when"]), _words(asked)
    often = None if found is None else found.often
    off = asked.slots.get("off", "")
    if off and (often is None or (isinstance(read(asked), When) and _without(asked, off) is None)):
        return off
    return "" if is_quoted(asked.text, what) else rider(what, asked.language, again=often is not None)


def _without(asked: Asked, off: str) -> str | None:
    """Return the cron expression of the request without its days off; None where there is none."""
    found, days = read(asked), days_off(off)
    return without(found.cron, days) if isinstance(found, When) and found.cron and days is not None else None


def _once(asked: Asked, when: When, form: Form, what: str) -> Steps:
    promise = asked.say(f"wakeups.say.promise.{form}", what=what)
    arguments: dict[str, Json] = {
        "send_at": when.send_at,
        "followup_reason": asked.say("wakeups.say.reason", words=asked.text),
        "assistant_commitment_text": promise,
    }
    (outcome,) = yield [Call("schedule_private_followup", arguments, acts=True)]
    return Answer(asked.say("wakeups.say.booked", promise=promise)) if outcome.ok else refused(asked, outcome)


def _again(asked: Asked, when: When, form: Form, what: str) -> Steps:
    words, cron = asked.slots["when"], when.cron
    if off := asked.slots.get("off"):
        words, cron = asked.say("wakeups.say.but", when=words, off=off), _without(asked, off) or cron
    arguments: dict[str, Json] = {
        "action": "add",
        "kind": "text",
        "text": asked.say(f"wakeups.say.text.{form}", what=what),
        "name": asked.say("wakeups.say.name", when=words, what=what)[:LONGEST_NAME],
        **({"every": when.every} if when.every else {"cron": cron}),
    }
    (outcome,) = yield [Call("cron", arguments, acts=True)]
    if not outcome.ok:
        return refused(asked, outcome)
    at = telling.moment(outcome.fields["next_at"], str(asked.context["zone"]), asked.language)
    number = outcome.fields["number"]
    return Answer(asked.say("wakeups.say.again", number=number, when=words, at=at, what=what))


def untimed(asked: Asked) -> Steps:
    """Ask for the time of what has none."""
    return finished(asked.say("wakeups.say.which_time", what=asked.slots["what"]), well=False)


def of_nothing(asked: Asked) -> Steps:
    """Ask what a reminder is to be of."""
    return finished(asked.say("wakeups.say.of_what", when=asked.slots["when"]), well=False)


# --- times -----------------------------------------------------------------------------------------------------------------


def read(asked: Asked) -> Read | None:
    """Return what the words for the time mean."""
    zone, now = asked.context.get("zone"), asked.now
    return None if now is None or not isinstance(zone, str) else read_when(asked.slots["when"], now, zone)


def time_of(asked: Asked) -> Looks[When | Answer]:
    """Return the time that the words name for certain; else what is to be said, or asked, of it."""
    found, words = read(asked), asked.slots["when"]
    if isinstance(found, When):
        return found
    if isinstance(found, Unsure):
        whole = asked.text.count(words) == 1
        ways = [asked.text.replace(words, way) for way in found.ways] if whole else []
        return (yield from choose(asked, asked.say("wakeups.say.which_of_times", when=words), ways))
    why = found.why if isinstance(found, Wrong) else "vague"
    return Answer(asked.say(f"wakeups.say.wrong.{why}", when=words), well=False)


def choose(asked: Asked, question: str, requests: Sequence[str]) -> Looks[Answer]:
    """Let the person choose between whole requests; without a way to ask, name them."""
    offered = [one for one in requests if len(one) <= LONGEST_LABEL][:MOST_OFFERED]
    if offered and asked.alone and by_person(asked) and "ask_user" in asked.tools:
        yield [Call("ask_user", {"question": question, "options": offered}, acts=True)]
    lines = [asked.say("wakeups.say.for_example", request=one) for one in offered]
    return Answer("\n".join([question, *lines]), well=False)


def refused(asked: Asked, outcome: Outcome) -> Answer:
    """Say why something was not done, as the tool told it."""
    return Answer(outcome.text.strip() or asked.say("wakeups.say.refused"), well=False)
