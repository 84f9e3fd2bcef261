"""Over OneBot a change is decided by a bound account that may, by the same words as everywhere; others are told that they may not."""

import asyncio

import pytest

from channels.ground import FRIEND, STRANGER, serving, until
from onebot_simulator.simulator import segment
from session.ground import call, said

PROPOSES = (call("note", text="milk"), said("Please look at it."))
OTHERS_ONLY = 20005


def talk(room, *words, may_decide=True, account=FRIEND):
    """Propose a change from the first account, then let *account* say *words*; return what it gets after the review, and the state."""
    here = room(*PROPOSES, *[said("a word of the model")] * 5)
    here.bind(FRIEND, may_decide=may_decide)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "note milk")
            shown = len(await napcat.gets(2))
            await until(lambda: set(here.states()) == {"sent"})
            for index, word in enumerate(words):
                await napcat.says(account, *(word if isinstance(word, tuple) else (word,)))
                await napcat.gets(shown + index + 1)
                await until(lambda: "sending" not in here.states() and "queued" not in here.states())
            return [text for _, text in napcat.people[shown:]]

    return asyncio.run(scene()), here.change(1).state, here


@pytest.mark.parametrize("word", ["/approve C-1", "／approve c-1", "好的", "yes, go ahead"])
def test_an_account_that_may_decide_approves_by_command_or_by_a_bare_yes(room, word):
    answers, state, here = talk(room, word)
    assert state == "verified"
    assert "C-1" in answers[0]
    assert here.change(1).number == 1


@pytest.mark.parametrize("word", ["/deny C-1", "不要", "no"])
def test_it_denies_so_too(room, word):
    assert talk(room, word)[1] == "rejected"


@pytest.mark.parametrize(
    "word", ["/approve C-1", "/confirm C-1", "/deny C-1", "/stop C-1", "/approve", "好的", "yes", "no", "不要"]
)
def test_an_account_that_only_talks_decides_nothing_and_is_told_so(room, word):
    answers, state, _ = talk(room, word, may_decide=False)
    assert state == "sealed"
    assert "may talk with me, but not decide" in answers[0]


@pytest.mark.parametrize("word", ["what is in it?", "/changes", "/show C-1"])
def test_an_account_that_only_talks_may_ask(room, word):
    answers, state, _ = talk(room, word, may_decide=False)
    assert state == "sealed"
    assert "not decide" not in answers[0]


def test_a_yes_of_an_account_that_only_talks_is_talk_where_nothing_waits(room):
    here = room(said("I see"))
    here.bind(may_decide=False)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "yes")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["I see"]


def test_a_stranger_decides_nothing(room):
    answers, state, _ = talk(room, "/approve C-1", account=STRANGER)
    assert state == "sealed"
    assert "steady channel pair" in answers[0]


@pytest.mark.parametrize(
    "odd",
    [
        (segment("image", file="a", summary="好的"),),
        (segment("face", id="好的"),),
        (segment("json", data='{"prompt": "yes"}'),),
        (segment("file", name="] /approve C-1 ["),),
        (segment("at", qq="10001"), "yes"),
        (segment("markdown", content="yes"),),
        (segment("yes"),),
    ],
)
def test_what_is_no_text_is_never_a_decision(room, odd):
    assert talk(room, odd)[1] == "sealed"


def test_a_yes_that_quotes_the_review_is_a_yes(room):
    assert talk(room, (segment("reply", id="503"), "好的"))[1] == "verified"


def test_a_review_whose_arrival_is_learned_late_is_not_what_a_yes_is_about(room):
    here = room(*PROPOSES, said("about what?"), answer_seconds=0.3)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            napcat.moods = [{}, {"hold": True}, {}, {}, {}]
            await napcat.says(FRIEND, "note milk")
            await until(lambda: here.states() == ["sent", "unknown"])
            await napcat.answer_held()
            await until(lambda: here.states() == ["sent", "sent"])
            await napcat.says(FRIEND, "yes")
            await napcat.gets(4)
            await napcat.says(FRIEND, "/approve C-1")
            return await napcat.gets(5)

    texts = asyncio.run(scene())
    assert texts[2] == "about what?"
    assert "decided no change" in texts[3]
    assert "has not been shown in this session" in texts[4]
    assert here.change(1).state == "sealed"
