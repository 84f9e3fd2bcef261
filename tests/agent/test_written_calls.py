"""A call that a model writes out is known in the forms that models were taught; a text that only shows code passes."""

import pytest

from steadyhand.agent.written_calls import written_call

TOOLS = {"get_overview", "resolve_time", "message", "shell"}

CALLS = {
    "hermes": '<tool_call>\n{"name": "get_overview", "arguments": {"week": 3}}\n</tool_call>',
    "hermes of a tool that is not there": 'I look.\n<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>',
    "hermes cut off": '<tool_call>\n{"name": "get_over',
    "hermes in a block": '```xml\n<tool_call>\n{"name": "get_overview", "arguments": {}}\n</tool_call>\n```',
    "qwen coder": "<tool_call>\n<function=shell>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
    "glm": "<tool_call>get_overview\n<arg_key>week</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
    "llama function": '<function=get_overview>{"week": 3}</function>',
    "llama python tag": '<|python_tag|>{"name": "get_overview", "parameters": {}}',
    "llama plain": '{"name": "get_overview", "parameters": {"week": 3}}',
    "llama pythonic": "[get_overview(week=3), resolve_time(words='tomorrow')]",
    "mistral": '[TOOL_CALLS][{"name": "get_overview", "arguments": {"week": 3}}]',
    "mistral new": '[TOOL_CALLS]get_overview[ARGS]{"week": 3}',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_overview\n{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "dsml": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_overview">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "invoke": '<function_calls>\n<invoke name="get_overview">\n<parameter name="week">3</parameter>\n</invoke>\n</function_calls>',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_overview:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    "harmony": '<|channel|>commentary to=functions.get_overview <|constrain|>json<|message|>{"week": 3}',
    "react": 'Thought: I should look.\nAction: get_overview\nAction Input: {"week": 3}',
    "functools": 'functools[{"name": "get_overview", "arguments": {}}]',
    "block": '```json\n{"name": "get_overview", "arguments": {"week": 3}}\n```',
    "block behind words": 'I will look at your week:\n\n```json\n{"name": "get_overview", "arguments": {}}\n```',
    "object behind words": 'Let me see. {"tool": "get_overview", "args": {"week": 3}}',
    "openai": '{"tool_calls": [{"id": "x", "type": "function", "function": {"name": "shell", "arguments": "{}"}}]}',
    "several": '{"name": "get_overview", "arguments": {}}\n{"name": "resolve_time", "arguments": {"words": "今晚"}}',
    "name as key": '{"get_overview": {"week": 3}}',
    "zh": '我来查一下：\n```json\n{"name": "resolve_time", "arguments": {"words": "明天"}}\n```',
}

TEXTS = {
    "words": "Wednesday evening is free.",
    "nothing": "",
    "json of the person": '{"name": "Anna", "arguments": ["for", "against"]}',
    "package": '```json\n{"name": "my-app", "version": "1.0.0", "scripts": {"test": "x"}}\n```',
    "list": '[{"name": "message", "due": "Friday"}]',
    "code": "```python\nprint(get_overview(week=3))\n```",
    "html": "Write `<tool_call>` before the object; in a block:\n\n```\n<tool_call>\n{...}\n</tool_call>\n```\nThat is the form.",
    "tag in words": "The <tool_call> tag is what Hermes models were taught.",
    "example explained": 'A call looks so:\n```json\n{"name": "get_overview", "arguments": {}}\n```\nThe name is that of the tool.',
    "braces": "The set {a, b} has two elements.",
    "parentheses": "message (to you): do not forget the milk",
    "function of mathematics": "f(x) = x + 1",
    "arrow": "Action: send the letter. Then rest.",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_written_out_is_known(name: str) -> None:
    assert written_call(CALLS[name], TOOLS, "what is on this week?")


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_none_passes(name: str) -> None:
    assert not written_call(TEXTS[name], TOOLS, "what is on this week?")


@pytest.mark.parametrize("asked", ["write me the JSON of a call", "how would you call get_overview?"])
def test_an_object_that_the_person_asked_to_see_passes(asked: str) -> None:
    assert not written_call(CALLS["block"], TOOLS, asked)


def test_what_is_long_and_odd_costs_no_time() -> None:
    for text in (
        "<tool_call>" * 50_000,
        "```\n" * 50_000,
        "{" * 200_000,
        "[" * 200_000,
        "Action: a" + "\n" * 200_000,
        "`" * 200_000,
    ):
        written_call(text, TOOLS)
