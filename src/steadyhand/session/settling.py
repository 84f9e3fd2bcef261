"""Decides what a turn leaves behind: what is owed to the person, what the history keeps, what the session holds. It must not run or send anything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from steadyhand.agent.turn import TurnOutcome
from steadyhand.core.arguments import shown
from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.explain import explain
from steadyhand.core.ids import UserId, new_id
from steadyhand.core.language import Language, say
from steadyhand.core.wire import NOTICE, Message
from steadyhand.memory.short_term import entry_of
from steadyhand.session.lane import Held, LaneLost
from steadyhand.session.parts import Parts
from steadyhand.session.questions import FREE, KEY, LAST_LIST, SOURCE, turn_of
from steadyhand.session.truth import NOT_RUN, Ground, data_of, told
from steadyhand.store import Tx
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox, remembered, turns
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.outbox import Owed
from steadyhand.store.sessions.turns import TurnRow
from steadyhand.tools.base import Origin
from steadyhand.tools.result import DRAFTING, ToolResult

SPEAKS_BY_ITSELF: tuple[Origin, ...] = ("person", "cron", "job")
"""Origins whose turns give the person their results and their final text; in all others only a send tool speaks."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A turn that has ended, about to be settled. *taken* are the bodies of what it took up, *said* the words it was about.

    *since* is when the turn before it ended; *spoken* is what its tools have sent already, by the text as they gave it. A *mute*
    turn speaks by its tools alone. *on_settle* belongs to the same transaction. *lead* stands before the first that the person gets;
    *ending*, given why and what ran, says in the turn's own way that it came to no last answer. The session *may ask* where it held
    a question when the turn began, or the turn has parked one.
    """

    row: TurnRow
    origin: Origin
    taken: Sequence[Json]
    outcome: TurnOutcome
    state: turns.State
    language: Language
    said: str
    since: str = ""
    spoken: Mapping[str, str] = field(default_factory=dict[str, str])
    mute: bool = False
    on_settle: "Callable[[Tx, Leaving], None] | None" = None
    lead: str = ""
    ending: "Callable[[Tx, Leaving, str, str], str] | None" = None
    may_ask: bool = True

    @property
    def speaks(self) -> bool:
        """Whether the person gets the turn's results and its own words; what came by the clock does not say it twice."""
        return self.origin in SPEAKS_BY_ITSELF and not self.mute and not (self.origin == "cron" and self.spoken)


@dataclass(frozen=True, slots=True)
class Settled:
    """A turn that is settled: what it owes the person, in order, and its outcome."""

    turn: str
    state: turns.State
    owed: Sequence[Owed]
    outcome: TurnOutcome
    parked: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """A text of the turn itself: as it was *said*, and as the person gets it, with the lines that code adds; None when they have it.

    A *source* of notices marks what the program says, and neither the person nor a model is to take for an answer.
    """

    said: str
    told: str | None
    source: str = "reply"


@dataclass(frozen=True, slots=True)
class _Spoken:
    """One message for the person, before it is owed."""

    content: str
    source: str
    data: Json = None
    shows: int | None = None


async def settle(parts: Parts, held: Held, leaving: Leaving) -> Settled:
    """Settle the turn in one transaction; raises `LaneLost` when another process has taken over, and then nothing is stored."""
    return await parts.store.write(lambda tx: _settle(tx, parts, held, leaving))


def _settle(tx: Tx, parts: Parts, held: Held, leaving: Leaving) -> Settled:
    user, session, turn, outcome = held.user, held.session, leaving.row.id, leaving.outcome
    people.hold_session(tx, user, session)
    ended = turns.change_turn(
        tx,
        user,
        turn,
        held.token,
        state=leaving.state,
        rounds=outcome.rounds,
        usage=_usage(outcome),
        last_result=_last_result(outcome.results),
        detail={"end": outcome.end, "error": outcome.error.code if outcome.error else None},
        ended_at=tx.now(),
    )
    if not ended:
        raise LaneLost
    ground = Ground(outcome.results, parts.assertions, leaving.since, leaving.language, parts.acts, by_code=not parts.thinks)
    texts = _texts(tx, parts, user, leaving, ground)
    said = _person(leaving)
    owed: list[Owed] = []
    if leaving.speaks:
        spoken_now = _spoken(leaving, texts, lambda question: told(tx, user, session, question, ground))
        if leaving.lead and spoken_now and leaving.state == "done":
            spoken_now.insert(0, _Spoken(leaving.lead, "reply"))
            said = [*said, Said(new_id("msg"), "assistant", leaving.lead, "reply", turn)]
        for spoken in spoken_now:
            row = outbox.owe(tx, user, session, turn, spoken.content, source=spoken.source, data=spoken.data, shows=spoken.shows)
            owed += [] if row is None else [row]
    ids = {row.content: row.id for row in owed if row.source in ("reply", NOTICE)}
    conversations.add(tx, user, session, [*said, *_history(leaving, texts, ids)])
    inbox.settle(tx, user, turn)
    _hold(tx, parts, held, leaving)
    if leaving.on_settle is not None:
        leaving.on_settle(tx, leaving)
    return Settled(turn, leaving.state, owed, outcome, outcome.end == "asked")


def _usage(outcome: TurnOutcome) -> Json:
    spent = outcome.usage
    return {"input": spent.input_tokens, "output": spent.output_tokens, "cached": spent.cached_tokens}


def _person(leaving: Leaving) -> list[Said]:
    """Return what the person said as history; what nobody said (a wake-up, a reminder) is no entry."""
    if leaving.origin != "person" or not leaving.said:
        return []
    return [Said(new_id("msg"), "user", leaving.said, "person", leaving.row.id, channel_message_id=_channel_id(leaving.taken))]


def _channel_id(taken: Sequence[Json]) -> str | None:
    return cast("str | None", cast("Mapping[str, Any]", taken[0]).get("message_id")) if taken else None


def _texts(tx: Tx, parts: Parts, user: UserId, leaving: Leaving, ground: Ground) -> list[_Words]:
    """Return the turn's own words, as they are owed: with the lines that code adds, and with the end that it came to."""
    outcome, language = leaving.outcome, leaving.language
    given = {result.for_user.strip() for _, result in outcome.results if not result.silent} | _had(leaving)
    words: list[_Words] = []
    for message in outcome.messages:
        if message.role == "assistant" and not message.tool_calls:
            said = message.content
            if said.strip() in given or said.strip() in leaving.spoken:
                words.append(_Words(said, None))
                continue
            words.append(_Words(said, told(tx, user, leaving.row.session_id, said, ground)))
    if not leaving.speaks:
        return words
    if leaving.state != "done" or outcome.end not in ("answered", "asked", "finished"):
        words.append(_notice(_end_text(tx, parts, leaving), language))
    elif _owes_words(leaving) and not (any(one.told or one.told is None for one in words) or _given(leaving)):
        words.append(_notice(say(language, f"agent.end.{'silent' if outcome.end == 'finished' else 'empty'}"), language))
    if outcome.left_out:
        words.append(_notice(say(language, "agent.end.left_out", n=outcome.left_out), language))
    return words


def _notice(text: str, language: Language) -> _Words:
    return _Words("", say(language, "agent.notice", text=text.strip()), NOTICE)


def _had(leaving: Leaving) -> set[str]:
    """Return what the person has got of the job whose end this turn was about."""
    if leaving.origin != "job":
        return set()
    bodies = [cast("Mapping[str, Any]", body) for body in leaving.taken]
    return {body["for_user"].strip() for body in bodies if body["delivery"] == "both"} - {""}


def _owes_words(leaving: Leaving) -> bool:
    """Tell whether the person waits for words: whoever has asked does so even when the turn was ended without any."""
    answered = leaving.outcome.end == "answered" and leaving.origin != "job"
    return answered or (leaving.outcome.end == "finished" and leaving.origin == "person")


def _given(leaving: Leaving) -> bool:
    """Tell whether the person has got, or gets, something of the turn beside its own words."""
    return bool(leaving.spoken) or any(result.for_user.strip() and not result.silent for _, result in leaving.outcome.results)


def _end_text(tx: Tx, parts: Parts, leaving: Leaving) -> str:
    """Say why the turn ended without a last answer, and what ran."""
    outcome, language, limits = leaving.outcome, leaving.language, parts.limits
    key = leaving.state if leaving.state in ("stopped", "failed") else outcome.end
    if outcome.end == "cut":
        key = "cut"
    reason, step = "", say(language, "agent.end.later")
    if outcome.error is not None:
        why = explain(outcome.error, language)
        reason, step = why.text_of_cause(), why.next_step
    elif key == "failed":
        reason = say(language, "agent.end.unexpected")
    if leaving.ending is not None:
        return leaving.ending(tx, leaving, reason, _ran(outcome, language))
    return say(
        language,
        f"agent.end.{key}",
        ran=_ran(outcome, language),
        reason=reason,
        step=step,
        rounds=outcome.rounds,
        seconds=limits.seconds,
        tokens=limits.tokens,
    )


def _ran(outcome: TurnOutcome, language: Language) -> str:
    """Say which tools ran, and which may have."""
    ran = dict.fromkeys(call.name for call, result in outcome.results if result.code not in NOT_RUN)
    broken = dict.fromkeys(shown(call.name) for call in outcome.broken)
    text = say(language, "agent.end.these_ran", tools=", ".join(ran)) if ran else ""
    text += say(language, "agent.end.these_began", tools=", ".join(broken)) if broken else ""
    return text or say(language, "agent.end.nothing_ran")


def _spoken(leaving: Leaving, texts: Sequence[_Words], checked: Callable[[str], str]) -> list[_Spoken]:
    """Return what the person gets, in order: each result that is for them, the turn's words unless they repeat one, the reviews.

    A review ends what a turn says: whoever answers what stands last answers it. Only a question that the turn waits for stands
    below one, and then a bare yes answers that; its words, which a model may have chosen, are *checked* like all others of it.
    """
    spoken: list[_Spoken] = []
    reviews: list[_Spoken] = []
    questions: list[_Spoken] = []
    for call, result in leaving.outcome.results:
        if result.silent or not result.for_user.strip():
            continue
        data = data_of(result)
        shows = data.get("review")
        asks = result.ends_turn and DRAFTING not in data  # what is being drafted waits for a provider, not for an answer
        source = SOURCE if asks else "review" if shows is not None else "tool"
        content = checked(result.for_user) if call.name == FREE else result.for_user
        one = _Spoken(content, source, data.get("view"), shows if isinstance(shows, int) else None)
        (questions if asks else spoken if one.shows is None else reviews).append(one)
    return [*spoken, *(_Spoken(one.told, one.source) for one in texts if one.told), *reviews, *questions]


def _history(leaving: Leaving, texts: Sequence[_Words], ids: dict[str, str]) -> list[Said]:
    """Return the turn's entries as the history keeps them: its words as they were owed, not as they were first said."""
    words = iter(texts)
    turn = leaving.row.id
    entries: list[Said] = []
    for message in leaving.outcome.messages:
        if message.role == "assistant" and not message.tool_calls:
            entries += _reply(next(words), leaving, ids)
        else:
            entries.append(entry_of(message, new_id("msg"), turn, _source(message)))
    for rest in words:
        entries += _reply(rest, leaving, ids)
    return entries


def _reply(words: _Words, leaving: Leaving, ids: dict[str, str]) -> list[Said]:
    if (
        not leaving.speaks or words.said.strip() in leaving.spoken
    ):  # nobody gets it, or the message that said it is an entry already
        return []
    text = words.said if words.told is None else words.told
    return [Said(ids.pop(text, new_id("msg")), "assistant", text, words.source, leaving.row.id)] if text.strip() else []


def _source(message: Message) -> str:
    return {"user": "person", "assistant": "call", "tool": "result"}[message.role]


def _last_result(results: Sequence[tuple[Any, ToolResult]]) -> Json:
    return results[-1][1].to_json() if results else None


def _hold(tx: Tx, parts: Parts, held: Held, leaving: Leaving) -> None:
    """Hold the list that the person was shown last, so that they can name its rows; let go of a question that none answers now.

    That is one of a turn that was stopped, one that was parked and never put, and one that a later list has pushed aside: a
    number would be taken for a row of that list.
    """
    lists = [rows for _, result in leaving.outcome.results if (rows := data_of(result).get("choices"))]
    if lists:
        until = to_text(tx.clock.now() + timedelta(hours=parts.tiers.working_hours))
        remembered.put(tx, held.user, held.session, LAST_LIST, lists[-1], until)
    question = remembered.held(tx, held.user, held.session).get(KEY) if leaving.may_ask else None
    if question is None:
        return
    own = turn_of(question) == leaving.row.id
    if leaving.state == "stopped" or (own and leaving.outcome.end != "asked") or (lists and not own):
        remembered.drop(tx, held.user, held.session, KEY)
