"""Histories for tests: entries with an id, a turn and a moment, whole turns of drawn shapes, and a database to lay them in."""

from datetime import timedelta

from hypothesis import strategies as st

from steadyhand.core.clock import FakeClock, to_text
from steadyhand.store.sessions.conversations import Said

NOW = FakeClock().now()


def said(entry, role="user", content="x", *, turn="", calls=(), call=None, minutes=0.0, data=None):
    """One entry, said *minutes* ago; *calls* are the ids of the calls that it made."""
    made = [{"id": one, "name": "look", "arguments": "{}"} for one in calls]
    at = to_text(NOW - timedelta(minutes=minutes))
    return Said(str(entry), role, content, "test", turn, made, call, data, None, 0, at)


def ids(entries):
    return [entry.id for entry in entries]


@st.composite
def histories(draw, texts=None, most_turns=6):
    """Whole turns, oldest first: what a person said, some rounds of calls with all their results, an answer."""
    texts = st.just("x") if texts is None else texts
    found, ago = [], [300.0]
    for turn in range(draw(st.integers(1, most_turns))):
        name = f"turn{turn}"

        def add(role, turn=name, **more):
            found.append(said(len(found), role, draw(texts), turn=turn, minutes=ago[0], **more))

        add("user")
        for _ in range(draw(st.integers(0, 4))):
            calls = [f"c{index}" for index in range(draw(st.integers(1, 3)))]  # servers use the same ids again in each round
            add("assistant", calls=calls)
            for call in draw(st.permutations(calls)):
                add("tool", call=call)
            if draw(st.booleans()) and draw(st.booleans()):
                add("user")  # said meanwhile
            ago[0] -= draw(st.floats(0, 20))
        if draw(st.booleans()):
            add("assistant")
        ago[0] -= draw(st.floats(0, 40))
    return found


def pairs_are_whole(entries):
    """Whether each call is followed at once by its result, and no result stands elsewhere."""
    awaited = []
    for entry in entries:
        if entry.role == "tool":
            if entry.call_id not in awaited:
                return False
            awaited.remove(entry.call_id)
        elif awaited:
            return False
        else:
            awaited = [call["id"] for call in entry.calls]
    return not awaited
