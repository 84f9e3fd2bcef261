"""The fate of a message over OneBot: sent when it is said so, unknown when nobody can tell, and never sent twice in doubt."""

import asyncio
import json
from datetime import timedelta

import pytest

from channels.ground import FRIEND, HERE, serving, until
from session.ground import OTHER, said
from steadyhand.core import owners
from steadyhand.store.sessions import outbox


def test_without_a_connection_it_waits_and_nothing_is_tried(room):
    here = room()
    here.bind()
    here.owe("later")

    async def scene():
        async with serving(here):
            await here.deliver()

    asyncio.run(scene())
    assert [(row.state, row.attempts) for row in here.rows()] == [("queued", 0)]


def test_what_waited_is_sent_in_order_once_there_is_a_connection(room):
    here = room()
    here.bind()
    for number in range(5):
        here.owe(f"owed {number}", turn=f"t{number}")

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            got = await napcat.gets(5)
            await until(lambda: set(here.states()) == {"sent"})
            return got

    assert asyncio.run(scene()) == [f"owed {number}" for number in range(5)]
    assert all(row.attempts == 1 for row in here.rows())


def test_a_lost_answer_is_unknown_and_not_sent_again(room_anywhere):
    here = room_anywhere(answer_seconds=0.2)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"lose": True}]
            here.owe("did it arrive?", turn="t1")
            await here.deliver()
            states = here.states()
            here.owe("the next one", turn="t2")
            await here.deliver()
            await napcat.drop()
            napcat = await place.simulator()
            await here.deliver()
            return states, napcat.calls

    states, after = asyncio.run(scene())
    assert states == ["unknown"]
    assert here.states() == ["unknown", "sent"]
    assert after == []


def test_an_answer_that_comes_late_settles_it_after_all(room_anywhere):
    here = room_anywhere(answer_seconds=0.2)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"hold": True}]
            owed = here.owe("slow")
            await here.deliver()
            before = here.states()
            named = napcat.held[0]["data"]["message_id"]
            await napcat.answer_held()
            await until(lambda: here.states() == ["sent"])
            return owed, before, named, len(napcat.calls)

    owed, before, named, calls = asyncio.run(scene())
    assert (before, calls) == (["unknown"], 1)
    assert here.rows()[0].sent_message_id == str(named)
    assert [entry.channel_message_id for entry in here.history(HERE) if entry.id == owed.id] == [str(named)]


def test_a_late_answer_on_the_next_connection_counts_too_and_only_for_its_own_account(room):
    here = room(answer_seconds=0.2)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"hold": True}]
            here.owe("slow")
            await here.deliver()
            held = napcat.held[0]
            await napcat.drop()
            stranger = await place.simulator(10009)
            stranger.held = [dict(held)]
            await stranger.answer_held()
            again = await place.simulator()
            states = here.states()
            again.held = [dict(held)]
            await again.answer_held()
            await until(lambda: here.states() == ["sent"])
            return states

    assert asyncio.run(scene()) == ["unknown"]


def test_a_connection_that_is_lost_after_sending_leaves_it_unknown(room):
    here = room()
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"lose": True}]
            here.owe("on its way", turn="t1")
            here.owe("behind it", turn="t2")
            delivering = asyncio.create_task(here.deliver())
            await napcat.gets(1)
            await napcat.drop()
            await delivering
            before = here.states()
            here.store.clock.advance(timedelta(minutes=1))
            napcat = await place.simulator()
            await until(lambda: here.states()[1] == "sent")
            return before, [text for _, text in napcat.people]

    before, got = asyncio.run(scene())
    assert before[0] == "unknown"
    assert before[1] == "queued"
    assert (here.states(), got) == (["unknown", "sent"], ["behind it"])


@pytest.mark.parametrize(
    ("retcode", "words", "state"),
    [
        (1200, "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg EventRet: {}", "unknown"),
        (1200, "the friend is gone", "failed"),
        (1400, "bad params", "failed"),
        (100, "", "failed"),
        (429, "too fast", "queued"),
        (104, "signed out", "queued"),
    ],
)
def test_a_refusal_is_told_from_doubt_and_from_not_now(room, retcode, words, state):
    here = room()
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"refuse": (retcode, words)}]
            here.owe("to be refused")
            await here.deliver()
            await here.deliver()
            return len(napcat.calls)

    assert asyncio.run(scene()) == 1
    assert here.states() == [state]
    assert state != "failed" or str(retcode) in here.rows()[0].reason


def test_after_not_now_it_is_tried_again_and_what_is_behind_it_waits(room):
    here = room()
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"refuse": (429, "too fast")}]
            here.owe("one", turn="t1")
            here.owe("two", turn="t2")
            await here.deliver()
            before = here.states()
            here.store.clock.advance(timedelta(minutes=1))
            await here.deliver()
            return before, [text for _, text in napcat.people]

    assert asyncio.run(scene()) == (["queued", "queued"], ["one", "two"])


def test_answers_find_their_messages_however_they_are_shuffled(room):
    here = room()
    for account in range(20001, 20009):
        here.bind(account)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"hold": True}] * 8
            sessions = [f"onebot-10001-{account}" for account in range(20001, 20009)]
            for session in sessions:
                here.owe(f"for {session}", session=session, turn=f"t {session}")
            sending = [asyncio.create_task(here.deliver(session)) for session in sessions]
            await napcat.gets(8)
            named = {
                call["params"]["user_id"]: held["data"]["message_id"]
                for call, held in zip(napcat.calls, napcat.held, strict=True)
            }
            for index in (7, 0, 3, 4, 2, 1, 1, 0):
                await napcat.answer_held(index)
            await asyncio.gather(*sending)
            return named, {int(session[-5:]): here.rows(session)[0] for session in sessions}

    named, rows = asyncio.run(scene())
    assert {account: row.sent_message_id for account, row in rows.items()} == {who: str(which) for who, which in named.items()}
    assert {row.state for row in rows.values()} == {"sent"}


def test_two_who_deliver_at_once_send_each_message_once_and_in_order(room):
    here = room()
    here.bind()
    for number in range(6):
        here.owe(f"owed {number}", turn=f"t{number}")

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await asyncio.gather(*(here.deliver() for _ in range(5)))
            await until(lambda: set(here.states()) == {"sent"})
            return [text for _, text in napcat.people]

    assert asyncio.run(scene()) == [f"owed {number}" for number in range(6)]


def test_a_long_message_of_which_a_part_was_refused_is_unknown_and_its_rest_is_not_sent(room):
    here = room()
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{}, {"refuse": (1400, "no")}]
            here.owe("word " * 2000)
            await here.deliver()
            return len(napcat.calls)

    assert asyncio.run(scene()) == 2
    assert here.states() == ["unknown"]


def test_nothing_goes_to_an_account_that_is_no_longer_the_persons(room):
    here = room()
    here.bind(FRIEND, OTHER)
    here.owe("a secret of mine")

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await until(lambda: here.states() == ["failed"])
            return napcat.calls

    assert asyncio.run(scene()) == []
    assert here.rows()[0].reason == "account_not_bound"


def test_an_answer_without_a_message_id_is_no_proof(room):
    here = room(answer_seconds=2.0)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"hold": True}, {"hold": True}]
            for turn, answer in (("t1", {"data": None}), ("t2", {"status": "async", "retcode": 1})):
                here.owe(turn, turn=turn)
                sending = asyncio.create_task(here.deliver())
                await napcat.until(lambda: bool(napcat.held))
                napcat.held[0] |= answer
                await napcat.answer_held()
                await sending

    asyncio.run(scene())
    assert here.states() == ["unknown", "unknown"]


def test_what_a_process_that_is_gone_was_sending_is_not_sent_again(room):
    here = room(said("hello"))
    here.bind()
    row = here.owe("was it sent?")

    gone = json.dumps({**owners.myself(), "pid": 2**22 + 1})
    assert here.store.write_now(lambda tx: outbox.move(tx, row, "sending", attempts=1, reason=gone))

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "hi")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["hello"]
    assert here.states() == ["unknown", "sent"]
