"""Decides whether a text is a call that a model has written out instead of making it. It must not run it, or read one into a text that only shows code.

Marks of the forms that open models were taught count wherever they stand outside of code; an object counts only when it names a tool
that was offered and the text ends with it.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

MARKS = re.compile(
    r"""
      <tool_call>\s*(?:\{|\[|<function|[\w.-]+\s*(?:<arg_key>|\n|\(|\{))      # Hermes, Qwen, GLM
    | <tool_calls?>\s*(?:\{|\[|<)
    | <function=[\w.-]+>                                                       # Llama, Qwen Coder
    | \[TOOL_CALLS\]\s*(?:\[|\{|[\w.-]+\s*(?:\[ARGS\]|\{))                     # Mistral
    | <\|tool_calls?(?:_begin|_section_begin)?\|>                             # Phi, Kimi
    | <\|?[|｜]?tool[▁_ ](?:calls?|outputs?)[▁_ ]begin[|｜]>                    # DeepSeek
    | <[｜|]?\w*[｜|]?(?:antml:)?(?:function_calls|invoke\s+name=)               # DSML and its relatives
    | <\|python_tag\|>                                                         # Llama
    | <\|start\|>assistant<\|channel\|>\w+\s+to=functions\.
    | <\|channel\|>\w+\s+to=functions\.
    | <start_function_call>\s*call:
    | <\|action_start\|>\s*<\|plugin\|>
    | ✿FUNCTION✿
    | \bfunctools\[\s*\{
    | ^Action:\s*[\w.-]+\s*\n+\s*Action\ Input:
    """,
    re.VERBOSE | re.MULTILINE,
)
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]+`")
PYTHONIC = re.compile(r"\[?\s*([A-Za-z_][\w.]*)\(.*\)\s*\]?", re.DOTALL)
NAMES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
VALUES = ("arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs")
LONGEST_LEAD = 400
"""So many characters may stand before a call that is one: what is longer explains something and shows an example."""
LONGEST = 20_000


def written_call(text: str, tools: Collection[str], asked: str = "") -> bool:
    """Tell whether *text*, the whole of an answer to *asked*, is a call of a tool written out.

    Where the person themselves speaks of JSON or of a tool by its name, an object that names one is what they wanted to see.
    """
    plain = text.strip()[:LONGEST]
    if MARKS.search(INLINE.sub(" ", FENCE.sub(" ", plain))) or _only_code(plain):
        return True
    wanted = asked.lower()
    if "json" in wanted or any(tool.lower() in wanted for tool in tools):
        return False
    return any(_calls(value, tools) for value in _objects(plain)) or _is_pythonic(plain, tools)


def _only_code(plain: str) -> bool:
    """Tell whether the text is one block of code and that is a call by its marks: no explanation stands beside it."""
    found = FENCE.fullmatch(plain)
    return found is not None and MARKS.match(found[2].strip()) is not None


def _objects(plain: str) -> Iterator[Any]:
    """Yield the values that the text ends with: all of it, or its last block, behind a short lead."""
    blocks = list(FENCE.finditer(plain))
    if blocks and not plain[blocks[-1].end() :].strip() and blocks[0].start() <= LONGEST_LEAD:
        yield from _read(blocks[-1][2])
        return
    start = next((place for place, mark in enumerate(plain[:LONGEST_LEAD]) if mark in "{["), None)
    if start is not None:
        yield from _read(plain[start:])


def _read(text: str) -> Iterator[Any]:
    """Yield the values that stand one after the other in *text*; none when something else stands between or behind."""
    decoder, place, found = json.JSONDecoder(), 0, list[Any]()
    text = text.strip()
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        found.append(value)
        while place < len(text) and text[place] in " \t\r\n,;":
            place += 1
    yield from found


def _calls(value: Any, tools: Collection[str]) -> bool:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return bool(items) and all(_calls(one, tools) for one in items)
    if not isinstance(value, Mapping):
        return False
    node = cast("Mapping[str, Any]", value)
    if isinstance(node.get("tool_calls"), list):
        return _calls(node["tool_calls"], tools)
    inner = node.get("function")
    if isinstance(inner, Mapping):
        return _calls(inner, tools)
    if len(node) == 1 and next(iter(node)) in tools and isinstance(next(iter(node.values())), Mapping):
        return True
    named = any(isinstance(node.get(key), str) and node[key].removeprefix("functions.") in tools for key in NAMES)
    return named and (any(key in node for key in VALUES) or len(node) == 1)


def _is_pythonic(plain: str, tools: Collection[str]) -> bool:
    blocks = FENCE.fullmatch(plain)
    found = PYTHONIC.fullmatch((blocks[2] if blocks else plain).strip().strip("`"))
    return found is not None and found[1].removeprefix("functions.") in tools
