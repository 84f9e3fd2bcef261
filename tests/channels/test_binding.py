"""Pairing: a code binds the account that says it, once, for ten minutes, until five wrong ones were said; strangers get one line and leave nothing."""

import asyncio
import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from channels.ground import FRIEND, HERE, STRANGER, serving, until
from session.ground import ME, OTHER, said
from steadyhand.channels.binding import MOST_WRONG, Pairing, code_in
from steadyhand.channels.onebot.strangers import MOST, Strangers
from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import READABLE, new_code
from steadyhand.store.database.metadata import metadata
from steadyhand.store.people import bindings
from steadyhand.store.people.bindings import Account
from steadyhand.store.sessions import pairings


def redeem(room, code, account="20002"):
    return asyncio.run(Pairing(room.store).redeem("onebot", account, code))


def invite(room, user=ME, *, may_decide=False):
    return code_in(asyncio.run(Pairing(room.store).invite(user, "onebot", may_decide=may_decide)).code)


def wrong(code):
    return ("B" if code[0] == "A" else "A") + code[1:]


@pytest.mark.parametrize("may_decide", [True, False])
def test_the_code_binds_the_account_that_says_it_and_is_good_once(room_anywhere, may_decide):
    here = room_anywhere()
    code = invite(here, may_decide=may_decide)
    bound = redeem(here, code)
    assert isinstance(bound, Account)
    assert here.store.read_now(lambda tx: bindings.of_user(tx, ME)) == [bound]
    assert (bound.account, bound.user_id, bound.may_decide) == ("20002", ME, may_decide)
    assert redeem(here, code, "30003") == "none"


def test_a_code_is_good_for_ten_minutes(room):
    here = room()
    code = invite(here)
    here.store.clock.advance(timedelta(minutes=10, seconds=1))
    assert redeem(here, code) == "none"


def test_five_wrong_codes_void_it(room_anywhere):
    here = room_anywhere()
    code = invite(here)
    assert [redeem(here, wrong(code)) for _ in range(MOST_WRONG)] == ["wrong"] * (MOST_WRONG - 1) + ["locked"]
    assert redeem(here, code) == "none"


def test_wrong_codes_said_at_once_are_all_counted(room_anywhere):
    here = room_anywhere()
    code = invite(here)
    pairing = Pairing(here.store)

    async def scene():
        return await asyncio.gather(*(pairing.redeem("onebot", str(account), wrong(code)) for account in range(1, 13)))

    answers = asyncio.run(scene())
    assert (answers.count("wrong"), answers.count("locked")) == (MOST_WRONG - 1, 1)
    assert redeem(here, code) == "none"


def test_the_right_code_said_twice_at_once_binds_one(room_anywhere):
    here = room_anywhere()
    code = invite(here)
    pairing = Pairing(here.store)

    async def scene():
        return await asyncio.gather(*(pairing.redeem("onebot", str(account), code) for account in range(1, 5)))

    assert sum(isinstance(answer, Account) for answer in asyncio.run(scene())) == 1
    assert len(here.store.read_now(lambda tx: bindings.of_user(tx, ME))) == 1


def test_a_new_code_voids_the_one_before_and_two_people_have_their_own(room):
    here = room()
    first, second, theirs = invite(here), invite(here), invite(here, OTHER)
    assert redeem(here, first) == "wrong"
    assert redeem(here, theirs, "1").user_id == OTHER
    assert redeem(here, second, "2").user_id == ME


def test_the_code_itself_is_nowhere_in_the_database(room):
    here = room()
    code = invite(here)

    def everything(tx):
        return [str(tuple(row)) for table in metadata.sorted_tables for row in tx.execute(select(table))]

    rows = here.store.read_now(everything)
    assert any(pairings.NOWHERE in row for row in rows)
    assert not any(code in row or f"{code[:4]}-{code[4:]}" in row for row in rows)


@given(st.text(alphabet=READABLE, min_size=8, max_size=8))
def test_a_code_is_read_however_it_is_typed(code):
    typed = [code, code.lower(), f"{code[:4]}-{code[4:]}", f" {code[:4]} {code[4:]} ", f"/pair {code}", code.translate(WIDE)]
    assert [code_in(text) for text in typed] == [code] * len(typed)


WIDE = {ord(mark): ord(mark) + 0xFEE0 for mark in READABLE}


@pytest.mark.parametrize(
    "text", ["", "hello", "ABCDEFG", "ABCDEFGHJ", "ABCD EFGH please", "my code is ABCDEFGH", "O0I1L000", "ABCD--EFGH"]
)
def test_what_is_more_or_less_than_a_code_is_none(text):
    assert code_in(text) is None


def test_codes_look_like_nothing_else():
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(re.fullmatch(f"[{READABLE}]{{8}}", code) for code in codes)
    assert not set("0O1IL") & set(READABLE)


# --- strangers ----------------------------------------------------------------------------------------------------------


def test_a_stranger_gets_one_line_a_day_and_reaches_no_model(room):
    here = room()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            for number in range(4):
                await napcat.says(STRANGER, f"let me in {number}")
            await napcat.gets(1)
            here.store.clock.advance(timedelta(days=1, seconds=1))
            await napcat.says(STRANGER, "a day later")
            await napcat.gets(2)
            return napcat.people, here.provider.requests

    people, requests = asyncio.run(scene())
    assert [account for account, _ in people] == [STRANGER, STRANGER]
    assert all("steady channel pair" in line for _, line in people)
    assert requests == []


def test_nothing_of_a_stranger_is_stored(room):
    here = room(said("hello friend"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(STRANGER, "a word that nobody else says: xylophone")
            await napcat.says(STRANGER, "ABCD-EFGH")
            await napcat.says(FRIEND, "hi")
            await napcat.gets(2)

    asyncio.run(scene())

    def everything(tx):
        return " ".join(str(tuple(row)) for table in metadata.sorted_tables for row in tx.execute(select(table)))

    stored = here.store.read_now(everything)
    assert "xylophone" not in stored
    assert str(STRANGER) not in stored
    assert here.spoke == [(ME, HERE, "onebot")]


def test_a_stranger_who_says_the_code_is_a_stranger_no_more(room_anywhere):
    here = room_anywhere(said("welcome"))
    code = invite(here)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(STRANGER, wrong(code))
            await napcat.gets(1)
            await napcat.says(STRANGER, f"{code[:4]}-{code[4:]}".lower())
            await napcat.gets(2)
            await napcat.says(STRANGER, "it is me")
            return await napcat.gets(3)

    lines = asyncio.run(scene())
    assert "not the code" in lines[0]
    assert "yours now" in lines[1]
    assert lines[2] == "welcome"


def test_an_account_that_was_let_go_of_is_a_stranger_again(room):
    here = room(said("hello"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "hi")
            await napcat.gets(1)
            here.store.write_now(lambda tx: bindings.unbind(tx, ME, "onebot", str(FRIEND)))
            await napcat.says(FRIEND, "still me")
            await napcat.gets(2)

    asyncio.run(scene())
    assert [text for role, text in here.entries(HERE) if role == "user"] == ["hi"]


def test_strangers_that_cannot_be_answered_hold_up_nobody(room):
    here = room(said("of course"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{"lose": True}] * 20
            for account in range(40001, 40021):
                await napcat.says(account, "hello")
            await napcat.until(lambda: len(napcat.people) == 20)
            await napcat.says(FRIEND, "do you hear me?")
            await napcat.until(lambda: (FRIEND, "of course") in napcat.people)
            await until(lambda: here.states() == ["sent"])

    asyncio.run(scene())


def test_only_so_many_strangers_are_answered_in_a_day():
    clock = FakeClock()
    strangers = Strangers(clock)
    assert all(strangers.to_be_told("1", str(account)) for account in range(MOST))
    assert not strangers.to_be_told("1", "one more")
    clock.advance(timedelta(days=1))
    assert strangers.to_be_told("1", "one more")
