"""The engine, with a room of its own: plans are played along what was answered, and nothing is done that was not said."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.language import say
from steadyhand.core.wire import Completion, Message, Request, ToolCall
from steadyhand.gate.lines import claims_done
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.rules.book import Answer, Asked, Call, PhraseBook, Rule, Steps, finished
from steadyhand.llm.rules.pattern import Kind
from steadyhand.llm.rules.provider import RulesProvider

from .ground import BOOK, NUMBER, SPECS, THING, called, request

PROVIDER = RulesProvider([BOOK])
LOOK, SEND = Call("look"), Call("send")


def take(thing: str) -> Call:
    return Call("take", {"thing": thing})


def ask(asked: Request, provider: RulesProvider = PROVIDER) -> Completion:
    return asyncio.run(complete(provider, asked))


def test_a_plan_goes_on_from_round_to_round_without_being_remembered() -> None:
    first = ask(request("take the box"))
    assert called(first) == ["look {}"]
    assert first.finish == "tool_calls"
    second = ask(request("take the box", rounds=[[(LOOK, {"n": 3}, "ok")]]))
    assert called(second) == ['take {"thing": "box"}']
    last = ask(request("take the box", rounds=[[(LOOK, {"n": 3}, "ok")], [(take("box"), {}, "ok")]]))
    assert (last.tool_calls, last.text) == ((), "took box of 3")


def test_the_ids_of_calls_differ_within_a_turn() -> None:
    first = ask(request("take box"))
    second = ask(request("take box", rounds=[[(LOOK, {}, "ok")]]))
    assert len({call.id for call in (*first.tool_calls, *second.tool_calls)}) == 2


def test_a_call_that_failed_ends_the_plan_as_it_says() -> None:
    answer = ask(request("take box", rounds=[[(LOOK, {"n": 1}, "ok")], [(take("box"), None, "denied")]]))
    assert answer.text == "broke"


@pytest.mark.parametrize(
    "text",
    ["take box?", "don't take box", "if take box", "“take box”", "take", "take box and sing", "box take", "take box take cup"],
)
def test_what_is_not_wholly_a_request_calls_nothing(text: str) -> None:
    answer = ask(request(text))
    assert answer.tool_calls == ()
    assert answer.text


def test_a_request_in_polite_form_acts_on_a_draft_and_on_nothing_else() -> None:
    assert called(ask(request("could you take box?"))) == ["look {}"]
    assert ask(request("could you send?")).tool_calls == ()
    assert called(ask(request("send"))) == ["send {}"]


def test_a_question_that_only_looks_is_answered() -> None:
    assert called(ask(request("what is there?"))) == ["look {}"]
    assert called(ask(request("don't worry, look"))) == []


def test_several_clauses_look_first_and_act_in_their_order() -> None:
    rounds = [[(LOOK, {"n": 2}, "ok")]]
    text = "take box, then take cup"
    assert called(ask(request(text))) == ["look {}"]
    assert called(ask(request(text, rounds=rounds))) == ['take {"thing": "box"}']
    rounds.append([(take("box"), {}, "ok")])
    assert called(ask(request(text, rounds=rounds))) == ["look {}"]  # something was written: it looks again
    rounds.append([(LOOK, {"n": 1}, "ok")])
    assert called(ask(request(text, rounds=rounds))) == ['take {"thing": "cup"}']
    rounds.append([(take("cup"), {}, "ok")])
    assert ask(request(text, rounds=rounds)).text == "took box of 2\n\ntook cup of 1"


def test_when_one_clause_would_fail_none_acts() -> None:
    for text in ("take box, then take moon", "take moon, then take box"):
        answer = ask(request(text, rounds=[[(LOOK, {"n": 2}, "ok")]]))
        assert answer.tool_calls == ()
        assert "no moon" in answer.text
        assert "No step" in answer.text


def test_when_a_clause_fails_after_another_acted_the_rest_is_not_begun() -> None:
    rounds = [[(LOOK, {"n": 2}, "ok")], [(take("box"), None, "failed")]]
    answer = ask(request("take box; take cup", rounds=rounds))
    assert answer.tool_calls == ()
    assert answer.text == "broke\nThe steps after it were not begun."


def test_a_looking_clause_is_not_looked_into_twice() -> None:
    text = "take box and look around"
    rounds = [[(LOOK, {"n": 2}, "ok")], [(take("box"), {}, "ok")]]
    assert called(ask(request(text, rounds=rounds))) == ["look {}"]
    rounds.append([(LOOK, {"n": 1}, "ok")])
    assert ask(request(text, rounds=rounds)).text == "took box of 2\n\nseen 1"


def test_small_talk_beside_a_request_is_passed_over() -> None:
    assert called(ask(request("hello, look around. thanks"))) == ["look {}"]
    assert ask(request("hello, thanks")).text == "You are welcome."


def test_the_last_message_alone_is_answered_whatever_was_said_before_it() -> None:
    assert called(ask(request("dance", "look"))) == ["look {}"]
    assert ask(request("look", "dance")).tool_calls == ()


@pytest.mark.parametrize(("before", "breaks_in"), [("answered", False), ("finished", False), ("", False), ("asked", True)])
def test_only_a_question_that_was_put_is_left_unfinished_by_another_request(before: str, breaks_in: bool) -> None:
    asked = request("thanks", context={"before": before})
    silent = (Message("assistant", "", (ToolCall("c1", "look", "{}"),)), Message("tool", "nothing to see", tool_call_id="c1"))
    answer = ask(Request((asked.messages[0], *silent, *asked.messages[1:]), SPECS, asked.context))
    assert answer.text.startswith(say("en", "rules.broke_in")) == breaks_in


def test_what_was_asked_before_a_question_is_taken_up_after_the_answer() -> None:
    answer = ask(request("1", context={"resume": "take box", "answered": {"kind": "window", "value": 1}}))
    assert called(answer) == ["look {}"]


def test_a_tool_that_is_not_offered_is_named_and_not_called() -> None:
    bare = request("look")
    answer = ask(Request(bare.messages, SPECS[1:], bare.context))
    assert answer.tool_calls == ()
    assert "look" in answer.text


def test_rounds_that_do_not_fit_the_plan_stop_it_and_it_says_whether_something_ran() -> None:
    other = ask(request("take box", rounds=[[(SEND, {}, "ok")]]))
    assert other.tool_calls == ()
    assert "nothing was changed" in other.text
    more = ask(request("take box", rounds=[[(LOOK, {}, "ok")], [(take("box"), {}, "ok")], [(LOOK, {}, "ok")]]))
    assert "one step more" in more.text


def test_a_message_that_breaks_in_is_read_instead() -> None:
    before = request("take box", rounds=[[(LOOK, {}, "ok")]])
    answer = ask(Request((*before.messages, Message("user", "thanks")), SPECS, before.context))
    assert answer.tool_calls == ()
    assert "your new message comes first" in answer.text
    assert not claims_done(answer.text)


def test_earlier_turns_are_not_part_of_this_one() -> None:
    old = request("take cup", rounds=[[(LOOK, {"n": 9}, "ok")], [(take("cup"), {}, "ok")]])
    messages = (*old.messages, Message("assistant", "took cup of 9"), Message("user", "look"))
    assert called(ask(Request(messages, SPECS, old.context))) == ["look {}"]


def test_rows_of_the_last_list_are_put_into_words_of_their_room() -> None:
    shown = {"kind": "things", "rows": [{"label": "Box", "value": "box"}, {"label": "Cup", "value": "cup"}]}
    rounds = [[(LOOK, {}, "ok")]]
    assert called(ask(request("take the second one", rounds=rounds, context={"last_list": shown}))) == ['take {"thing": "cup"}']
    assert ask(request("take the second one")).tool_calls == ()


def test_what_was_not_understood_is_quoted_and_the_nearest_is_named_but_not_done() -> None:
    answer = ask(request("look aruond"))
    assert answer.tool_calls == ()
    assert '"look around"' in answer.text
    assert '"blargh' in ask(request("blargh" * 30)).text
    assert len(ask(request("blargh" * 30)).text) < 400


def test_a_text_that_is_too_long_is_said_to_be() -> None:
    assert "too long" in ask(request("look " * 100)).text


def test_json_to_a_schema_is_none_of_its_business() -> None:
    with pytest.raises(ProviderError):
        ask(Request((Message("user", "look"),), SPECS, {}, schema={"type": "object"}))


def test_a_phrase_that_two_rules_hold_is_not_chosen_between() -> None:
    twice = (Rule("one", ("go {thing}",), look_twice), Rule("two", ("go {other:thing}",), look_twice))
    answer = ask(request("go north"), RulesProvider([PhraseBook("room", "en", twice, (THING,))]))
    assert answer.tool_calls == ()
    assert "more than one thing" in answer.text


def test_of_two_phrases_the_one_with_fewer_loose_words_is_meant() -> None:
    rules = (Rule("loose", ("go {thing}",), said_loose), Rule("tight", ("go {number}",), said_tight))
    provider = RulesProvider([PhraseBook("room", "en", rules, (ANY, NUMBER))])
    assert ask(request("go 7"), provider).text == "tight"
    assert ask(request("go north"), provider).text == "loose"


def look_twice(asked: Asked) -> Steps:
    yield [LOOK]
    return Answer("looked")


def said_loose(asked: Asked) -> Steps:
    return finished("loose")


def said_tight(asked: Asked) -> Steps:
    return finished("tight")


ANY = Kind("thing", lambda words: words, ("x",), loose=True)


def test_the_context_may_be_anything() -> None:
    for context in ({}, {"changes": 3, "term": [], "window": "x", "last_list": 1, "now": 5, "resume": 7, "language": None}):
        bare = request("look")
        assert called(ask(Request(bare.messages, SPECS, context))) == ["look {}"]


def test_a_request_without_a_person_s_word_is_answered_all_the_same() -> None:
    assert ask(Request((Message("system", "-"),), SPECS, {})).text
    assert ask(Request((), SPECS, {})).text


@given(st.text(max_size=500))
def test_any_text_has_an_answer_or_a_look(text: str) -> None:
    answer = ask(request(text))
    assert answer.text or called(answer)
