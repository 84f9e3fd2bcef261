"""The assembler's own promises: limits, tokens, what it keeps, in words; the cases tell the rest."""

import json
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.explain import explain
from steadyhand.core.wire import ToolSpec, Usage
from steadyhand.llm.assemble import Assembler
from steadyhand.llm.provider import ProviderError

TEXT = ToolSpec("note", "", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})
DONE = b"data: [DONE]\n\n"


def event(delta=None, finish=None, **more):
    chunk = {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def call(arguments, name="note", index=0, call_id="call_1"):
    return event({"tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}]})


def assembled(*parts, **limits):
    assembler = Assembler((TEXT,), **limits)
    for part in parts:
        assembler.feed(part)
    return assembler.end()


def failure(*parts, **limits):
    with pytest.raises(ProviderError) as caught:
        assembled(*parts, **limits)
    return caught.value


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_arguments_beyond_the_limit_are_refused_as_soon_as_they_are():
    assembler = Assembler((TEXT,))
    assembler.feed(call('{"text":"'))
    piece = event({"tool_calls": [{"index": 0, "function": {"arguments": "中" * 30_000}}]})
    pieces = [piece] * 20
    with pytest.raises(ProviderError) as caught:
        deque(map(assembler.feed, pieces))
    error = caught.value
    assert (error.kind, error.reason, error.about) == ("tool_call", "arguments_too_long", "note")
    assert "1 MB" in explain(error, "en").detail
    assert "1 MB" in explain(error, "zh-CN").detail


def test_arguments_of_just_the_limit_are_taken():
    room = 1_000_000 - len('{"text":""}')
    found = assembled(call(json.dumps({"text": "a" * room}, separators=(",", ":"))), event(finish="tool_calls"), DONE)
    assert len(found.tool_calls[0].arguments) == 1_000_000


def test_an_answer_beyond_the_limit_is_refused():
    assert failure(event({"content": "a" * 200}), answer_bytes=100).reason == "answer_too_long"


def test_blanks_without_end_are_no_beginning():
    assert failure(*[b" " * 1000] * 100).reason == "not_an_event"


def test_more_calls_than_anybody_makes_are_refused():
    assert failure(*[call("{}", index=number, call_id=f"c{number}") for number in range(300)]).reason == "too_many_calls"


def test_a_call_does_not_go_through_ids_without_end():
    parts = [call("", call_id=f"c{number}", name="") for number in range(4100)]
    assert failure(*parts).reason == "call_ambiguous"


# ---- tokens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 7}}, Usage(5, 7)),
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}}, Usage(5, 7, 3)),
        ({"usage": {"input_tokens": 5, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 3}}}, Usage(5, 7, 3)),
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 7, "prompt_cache_hit_tokens": 4}}, Usage(5, 7, 4)),
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 7, "cached_tokens": 4}}, Usage(5, 7, 4)),
        ({"x_groq": {"usage": {"prompt_tokens": 5, "completion_tokens": 7}}}, Usage(5, 7)),
        ({"usage": {"prompt_tokens": True, "completion_tokens": -7, "prompt_tokens_details": None}}, Usage()),
        ({"usage": {"prompt_tokens": "5", "completion_tokens": 1e300}}, Usage()),
        ({"usage": None}, Usage()),
        ({"usage": []}, Usage()),
    ],
)
def test_tokens_are_read_wherever_they_stand(told, read):
    assert assembled(event({"content": "a"}, "stop", **told), DONE).usage == read


def test_of_several_counts_the_last_one_holds():
    first = {"usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    last = {"usage": {"prompt_tokens": 1, "completion_tokens": 9}}
    assert assembled(event({"content": "a"}, **first), event({}, "stop", **last), event(usage=None), DONE).usage == Usage(1, 9)


# ---- what comes out --------------------------------------------------------------------------------------------------


def test_the_bytes_are_kept_as_they_came():
    parts = [b": hello\r\n\r\n", event({"content": "a"}), event({}, "stop"), DONE]
    assert assembled(*parts).raw == b"".join(parts)


def test_arguments_are_handed_over_as_they_were_written():
    found = assembled(call('{ "text" : "a" }'), event(finish="tool_calls"), DONE)
    assert found.tool_calls[0].arguments == '{ "text" : "a" }'


def test_ids_that_are_made_are_distinct():
    parts = [call('{"text":"a"}', index=number, call_id="") for number in range(5)]
    ids = [one.id for one in assembled(*parts, DONE).tool_calls]
    assert len(set(ids)) == 5
    assert all(ids)


def test_nothing_is_handed_out_before_the_end():
    assembler = Assembler((TEXT,))
    assert assembler.feed(call('{"text":"a"}')) == []
    assert not assembler.done
    assembler.feed(DONE)
    assert assembler.done


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=50), cuts=st.lists(st.integers(1, 20), max_size=30), escaped=st.booleans())
def test_any_text_comes_through_in_arguments_and_content(text, cuts, escaped):
    arguments = json.dumps({"text": text}, ensure_ascii=escaped)
    pieces, rest = [], arguments
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    pieces.append(rest)
    parts = [event({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces]
    found = assembled(event({"content": text}), call(""), *parts, event(finish="tool_calls"), DONE)
    assert json.loads(found.tool_calls[0].arguments) == {"text": text}
    assert found.text == text


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_failure_is_told_with_what_it_concerns(language):
    told = explain(failure(call('{"txt":1}'), event(finish="tool_calls"), DONE), language)
    assert "note: text" in told.detail
    assert "arguments_unfit" not in told.detail
