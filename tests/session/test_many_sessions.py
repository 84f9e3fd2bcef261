"""Two hundred sessions at once are all answered, each with what is its own."""

import asyncio
from collections.abc import AsyncIterator

from session.ground import ME, OTHER, Shown, call
from steadyhand.core.ids import SessionId
from steadyhand.core.wire import Completion, Request

SESSIONS = 200
LIMIT_SECONDS = 240.0


class Own:
    """Looks up what the person named, then says it together with all that it has read of the session."""

    async def stream(self, request: Request) -> AsyncIterator[Completion]:
        last = request.messages[-1]
        await asyncio.sleep(0)
        if last.role == "user":
            yield call("peek", text=last.content)
            return
        heard = [message.content for message in request.messages if message.role == "user"]
        yield Completion(f"{last.content} of {' and '.join(heard)}")


def test_two_hundred_sessions_at_once_are_all_answered_and_none_is_crossed(room):
    room = room(provider=Own())
    places = [(ME if index % 2 else OTHER, SessionId(f"session-{index // 2}")) for index in range(SESSIONS)]
    room.channels = {place: Shown() for place in places}

    async def talk(place: tuple) -> None:
        user, session = place
        for turn in ("first", "second"):
            await room.say(f"{turn} {user} {session}", session, user)
            assert await room.talk.run(user, session, "en")

    async def scene() -> None:
        async with asyncio.timeout(LIMIT_SECONDS):
            await asyncio.gather(*(talk(place) for place in places))

    asyncio.run(scene())
    for user, session in places:
        first, second = f"first {user} {session}", f"second {user} {session}"
        answers = [f"seen {first} of {first}", f"seen {second} of {first} and {second}"]
        assert room.channels[user, session].texts == answers
        said = [content for role, content in room.entries(session, user) if role != "tool" and content]
        assert said == [first, answers[0], second, answers[1]]
    assert not room.channel.rows
