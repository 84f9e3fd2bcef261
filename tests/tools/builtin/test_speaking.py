"""What is sent or asked reaches the person once, is told to the model as it is, and hides nothing from the eye."""

import asyncio
import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.builtin.ask_user import AskUser, ask
from steadyhand.tools.builtin.speech import require_speakable
from steadyhand.tools.ports import NotSent, Option, Ports, Question, Queued, Sent, UnknownSent

HIDDEN = ["\x1b[2J", "a\u202eb", "a\u200bb", "a\ufeffb", "a\u2028b", "a\u2066b", "a\0b", "a\rb"]


# --- message ----------------------------------------------------------------------------------------------------------


def test_a_message_that_was_sent_is_told_to_the_model_alone(desk):
    result = desk.call("message", text="明天第一节有课\n记得带书 👩\u200d🎓")
    assert desk.outbox.sent == [("明天第一节有课\n记得带书 👩\u200d🎓", "message", None)]
    assert (result.for_llm, result.for_user, result.silent, result.is_error) == ("Message sent to desk", "", True, False)
    assert result.data == {"message_id": "m_1"}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize(
    ("answer", "code", "is_error"),
    [
        (Sent("m_1"), "ok", False),
        (Queued(), "queued", False),
        (NotSent("blocked"), "not_sent", True),
        (UnknownSent(), "unknown_sent", True),
    ],
)
def test_only_what_the_channel_confirmed_is_told_as_sent(desk, language, answer, code, is_error):
    desk.outbox.answer = answer
    result = desk.call("message", language, text="hello")
    assert (result.code, result.is_error, result.for_user) == (code, is_error, "")
    assert result.silent is not is_error
    assert ("Message sent to" in result.for_llm) is (code == "ok" and language == "en")
    assert "desk" in result.for_llm
    if code == "not_sent":
        assert "blocked" in result.for_llm


@pytest.mark.parametrize("text", [*HIDDEN, " ", "\n\t", "\u200d", "\u3000"])
def test_a_message_with_hidden_marks_or_nothing_to_see_is_not_sent(desk, text):
    result = desk.call("message", text=text)
    assert (result.is_error, desk.outbox.sent) == (True, [])
    assert "text" in result.for_llm


def test_without_an_outbox_nothing_is_sent(desk):
    desk.outbox = None
    assert desk.call("message", text="hello").code == "no_outbox"


# --- ask_user ---------------------------------------------------------------------------------------------------------


def test_a_question_is_parked_with_numbered_options_and_ends_the_turn(desk):
    result = desk.call("ask_user", question="哪一天？", options=["周三", " Thursday "])
    assert desk.questions.parked == [Question("ask_user", "哪一天？", (Option("周三", "周三"), Option("Thursday", "Thursday")))]
    assert result.for_user == "哪一天？\n1. 周三\n2. Thursday"
    assert (result.ends_turn, result.silent, result.is_error) == (True, False, False)
    assert result.data == {"question": "哪一天？", "options": ["周三", "Thursday"]}


def test_a_question_may_be_open(desk):
    result = desk.call("ask_user", question="Which room?")
    assert (result.for_user, desk.questions.parked[0].options) == ("Which room?", ())


def test_where_nobody_can_be_asked_it_says_so(desk):
    desk.questions = None
    result = desk.call("ask_user", question="Which room?")
    assert (result.is_error, result.code, result.ends_turn, result.for_user) == (True, "nobody_to_ask", False, "")
    assert "nobody can be asked here" in result.for_llm


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["a", "a"], "option_twice"),
        (["Yes", " yes"], "option_twice"),
        (["A", "Ａ"], "option_twice"),
        (["a  b", "a b"], "option_twice"),
        (["2", "1"], "option_is_a_number"),
        (["x", "①"], "option_is_a_number"),
        (["a", "b\nc"], "speech_hidden_marks"),
        (["a", "b\u202e"], "speech_hidden_marks"),
        (["a", " "], "speech_empty"),
        (["a", ""], "bad_argument"),
        (["a", "x" * 101], "bad_argument"),
        ([str(number) for number in range(1, 11)], "bad_argument"),
    ],
)
def test_options_that_cannot_be_told_apart_or_read_are_refused_by_name(desk, options, code):
    result = desk.call("ask_user", question="Which?", options=options)
    assert (result.is_error, result.code, desk.questions.parked) == (True, code, [])
    assert "options" in result.for_llm


def test_options_that_are_their_own_numbers_are_plain(desk):
    assert not desk.call("ask_user", question="How many?", options=["1", "2", "30"]).is_error


@pytest.mark.parametrize("question", [*HIDDEN, " "])
def test_a_question_with_hidden_marks_or_nothing_to_see_is_not_asked(desk, question):
    assert desk.call("ask_user", question=question).is_error
    assert desk.questions.parked == []


@given(st.lists(st.text(min_size=1, max_size=6), max_size=9), st.text(min_size=1, max_size=10))
@settings(max_examples=150)
def test_what_is_parked_is_what_is_shown(options, question):
    class Parking:
        parked = None

        async def park(self, parked):
            self.parked = parked

    from tools.builtin.conftest import desk_of

    parking = Parking()
    context = dataclasses.replace(desk_of(()).context, ports=Ports(questions=parking))
    try:
        result = asyncio.run(ask(context, AskUser(question=question, options=options)))
    except ToolRefusal:
        return
    labels = [option.label for option in parking.parked.options]
    assert result.for_user == "\n".join([question, *(f"{number}. {label}" for number, label in enumerate(labels, 1))])
    assert len({label.casefold() for label in labels}) == len(options)


def test_line_ends_are_allowed_where_lines_are():
    require_speakable("text", "a\n\tb")
    with pytest.raises(ToolRefusal):
        require_speakable("text", "a\nb", lines=False)
