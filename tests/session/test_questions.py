"""An answer is read where a question was put, and only there: by number, label, ordinal or free text, in both languages."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session.ground import call, calls, said
from steadyhand.core.ids import SessionId
from steadyhand.session.questions import KEY, choice, from_json, to_json
from steadyhand.tools.base import ToolContext
from steadyhand.tools.ports import Option, Question
from steadyhand.tools.result import ToolResult

run = asyncio.run
COLOURS = ("red", "blue", "green")

FIRST = [
    "1",
    "１",
    " 1. ",
    "1)",
    "1、",
    "第一个",
    "第1个",
    "选1",
    "我选一",
    "第一项",
    "一",
    "the first",
    "First one",
    "#1",
    "option 1",
    "number 1",
    "no. 1",
    "RED",
    "red。",
]
THIRD = ["3", "第三个", "第3条", "三", "third", "the third option", "Green"]
NONE = [
    "4",
    "0",
    "12",
    "第四个",
    "red or blue",
    "not red",
    "第一个吗？",
    "first thing tomorrow",
    "",
    "1 2",
    "1-2",
    "maybe 1",
    "seventh",
]


@pytest.mark.parametrize("text", FIRST)
def test_the_first_is_chosen(text):
    assert choice(text, COLOURS) == 0


@pytest.mark.parametrize("text", THIRD)
def test_the_third_is_chosen(text):
    assert choice(text, COLOURS) == 2


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_clear_choice_chooses_nothing(text):
    assert choice(text, COLOURS) is None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=12), st.lists(st.text(min_size=1, max_size=8), max_size=9))
def test_a_choice_is_always_a_row_of_the_list(text, labels):
    found = choice(text, labels)
    assert found is None or 0 <= found < len(labels)


def test_a_question_is_held_as_it_was():
    question = Question("k", "which?", (Option("a", {"n": 1}), Option("b")), {"more": [1]}, "the request")
    assert from_json(to_json(question)) == question


ASK = call("ask_user", question="which one?", options=list(COLOURS))


@pytest.mark.parametrize(
    ("text", "words"), [("2", "blue"), ("第二个", "blue"), ("Blue", "blue"), ("none of these, purple", "none of these, purple")]
)
def test_an_answer_becomes_the_words_of_the_next_turn(room_anywhere, text, words):
    room = room_anywhere(ASK, said("thank you"))
    [question] = run(room.hear("paint it"))
    assert question.splitlines() == ["which one?", "1. red", "2. blue", "3. green"]
    assert run(room.hear(text)) == ["thank you"]
    request = room.provider.requests[1]
    assert request.messages[-1].content == words
    assert request.context["answered"] == {"kind": "ask_user", "value": words, "text": words}
    assert KEY not in run(room.held())


def test_where_no_question_is_parked_a_number_is_conversation(room):
    room = room(said("two what?"))
    run(room.hear("2"))
    assert "answered" not in room.provider.requests[0].context


def test_an_open_question_without_options_is_answered_by_any_words(room):
    room = room(call("ask_user", question="what is it called?"), said("ah"))
    run(room.hear("name it"))
    run(room.hear("2"))
    assert room.provider.requests[1].context["answered"]["value"] == "2"


def test_the_question_is_the_last_thing_of_its_turn(room):
    room = room(calls(("ask_user", {"question": "which?"}), ("jot", {"text": "a"})))
    assert run(room.hear("go")) == ["which?"]
    assert not room.effects()


def test_a_yes_answers_the_question_that_came_after_a_review(room):
    room = room(calls(("note", {"text": "a"}), ("ask_user", {"question": "another one?"})), said("good"))
    run(room.hear("note it"))
    run(room.hear("yes"))
    assert room.change(1).state == "sealed"
    assert room.provider.requests[1].context["answered"]["value"] == "yes"


def test_what_was_said_before_the_question_came_does_not_answer_it(room_anywhere, clock):
    holder = {}

    async def slow_ask(context: ToolContext, arguments) -> ToolResult:
        await holder["room"].say("blue")
        clock.advance(timedelta(seconds=1))
        await context.ports.questions.park(Question("ask_user", "which?", (Option("red", "red"), Option("blue", "blue"))))
        return ToolResult("asked", "which?", ends_turn=True)

    room = holder["room"] = room_anywhere(call("slow_ask"), said("yes, the sky is"), said("thank you"), extra=[])
    room.registry.register(room.tool("slow_ask", "say", slow_ask))
    assert run(room.hear("paint it")) == ["which?", "yes, the sky is"]
    assert "answered" not in room.provider.requests[1].context
    assert run(room.hear("red")) == ["thank you"]
    assert room.provider.requests[2].context["answered"]["value"] == "red"


def test_what_was_said_before_a_review_was_shown_does_not_decide_it(room_anywhere, clock):
    holder = {}

    async def slow_note(context: ToolContext, arguments) -> ToolResult:
        await holder["room"].say("yes")
        await holder["room"].say("/approve C-1")
        clock.advance(timedelta(seconds=1))
        return await holder["room"]._note(context, arguments)

    room = holder["room"] = room_anywhere(call("slow_note", text="a"), said("there"), said("yes what?"))
    room.registry.register(room.tool("slow_note", "draft", slow_note))
    shown = run(room.hear("note it"))
    assert room.change(1).state == "sealed"
    assert "yes what?" in shown
    assert "has not been shown" in shown[-1]
    run(room.hear("/approve C-1"))
    assert room.change(1).state == "verified"


def test_a_question_that_was_never_sent_is_not_answered(room):
    room = room(ASK, said("what is?"))
    room.channel.mood = "down"
    run(room.hear("paint it"))
    run(room.hear("2"))
    assert "answered" not in room.provider.requests[1].context


def test_a_stop_lets_go_of_the_question(room):
    room = room(ASK, said("two what?"))
    run(room.hear("paint it"))
    run(room.hear("/stop"))
    run(room.hear("2"))
    assert room.provider.requests[1].messages[-1].content == "2"


def test_a_question_is_forgotten_after_its_hour(room, clock):
    room = room(ASK, said("two what?"))
    run(room.hear("paint it"))
    clock.advance(timedelta(hours=2))
    run(room.hear("2"))
    assert room.provider.requests[1].messages[-1].content == "2"


def test_a_command_or_decision_leaves_the_question_parked(room):
    room = room(ASK, said("thank you"))
    run(room.hear("paint it"))
    run(room.hear("/changes"))
    run(room.hear("3"))
    assert room.provider.requests[1].messages[-1].content == "green"


class Reader:
    """Reads one kind of question: a colour among its options, or the word anything."""

    def __init__(self):
        self.read_texts = []

    async def read(self, user, session, question, chosen, text):
        self.read_texts.append(text)
        return chosen or ("any" if text == "anything" else None)


def parking(room):
    async def body(context, arguments):
        options = (Option("red", {"c": 1}), Option("blue", {"c": 2}))
        data = {"yes_is_first": True}
        await context.ports.questions.park(Question("colour", "which?", options, data, context.said))
        return ToolResult("asked", "which?", code="asked", ends_turn=True)

    room.registry.register(room.tool("park", "draft", body))
    return room


@pytest.mark.parametrize(("text", "value"), [("2", {"c": 2}), ("yes", {"c": 1}), ("好的", {"c": 1}), ("anything", "any")])
def test_a_domain_reads_its_own_questions_and_the_request_is_taken_up_again(room, text, value):
    room = parking(room(call("park"), call("jot", text="go on"), said("done so"), readers={"colour": Reader()}))
    run(room.hear("paint the wall"))
    run(room.hear(text))
    context = room.provider.requests[1].context
    assert (context["resume"], context["answered"]["kind"], context["answered"]["value"]) == ("paint the wall", "colour", value)
    assert "paint the wall" in room.provider.requests[1].messages[0].content
    assert room.contexts[-1].said == "paint the wall"


def test_what_its_reader_cannot_read_is_conversation_and_the_question_stays(room):
    room = parking(room(call("park"), said("it is raining"), said("blue then"), readers={"colour": Reader()}))
    run(room.hear("paint the wall"))
    run(room.hear("how is the weather?"))
    assert "answered" not in room.provider.requests[1].context
    run(room.hear("2"))
    assert room.provider.requests[2].context["answered"]["value"] == {"c": 2}


def test_a_bare_yes_answers_a_question_only_while_nothing_was_said_behind_it(room):
    room = parking(room(call("park"), said("it is raining"), said("yes to what?"), said("red"), readers={"colour": Reader()}))
    run(room.hear("paint the wall"))
    run(room.hear("how is the weather?"))
    run(room.hear("yes"))
    assert "answered" not in room.provider.requests[2].context
    run(room.hear("1"))
    assert room.provider.requests[3].context["answered"]["value"] == {"c": 1}


def test_a_later_list_pushes_the_question_aside(room):
    room = parking(room(call("park"), call("choices"), said("here"), said("row two"), readers={"colour": Reader()}))
    run(room.hear("paint the wall"))
    run(room.hear("show me the list"))
    run(room.hear("2"))
    request = room.provider.requests[-1]
    assert "answered" not in request.context
    assert request.context["last_list"]["kind"] == "colour"


def test_a_question_is_of_one_session(room):
    room = room(ASK, said("two what?"))
    run(room.hear("paint it"))
    run(room.hear("2", SessionId("other")))
    assert "answered" not in room.provider.requests[1].context
    assert KEY in run(room.held())
