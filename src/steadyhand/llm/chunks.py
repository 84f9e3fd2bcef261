"""Decides what one chunk of a stream says: its pieces of text, of reasoning, of calls; it must not remember the chunk before."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from steadyhand.core.canonical import Json
from steadyhand.core.wire import Usage
from steadyhand.llm.fragments import Fragment
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.strict import EMPTY, Object, check_keys

REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
"""The fields in which servers stream a model's thoughts; where several are filled they mirror each other."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one choice of one chunk says."""

    choice: int
    text: str
    reasoning: str
    refusal: str
    calls: tuple[Fragment, ...]
    legacy: Fragment | None
    finish: str

    @property
    def anything(self) -> bool:
        return bool(self.text or self.reasoning or self.refusal or self.calls or self.legacy or self.finish)


def entries(chunk: Object) -> list[Object]:
    """Return the choices of *chunk*; there may be none."""
    return [_object(choice, "choices") for choice in _sequence(chunk.get("choices"), "choices")]


def choices(chunk: Object) -> Iterator[Said]:
    """Yield what each choice of *chunk* says."""
    for node in entries(chunk):
        check_keys("choice", node)
        delta = node.get("delta")
        if delta is None:
            if node.get("message") or node.get("text"):
                raise _misshapen("delta")
            delta = EMPTY
        yield said(node, _object(delta, "delta"))


def said(choice: Object, delta: Object) -> Said:
    """Return what *delta*, a piece or the whole message of *choice*, says."""
    check_keys("delta", delta)
    index = choice.get("index")
    if index is not None and type(index) is not int:
        raise _misshapen("choices.index")
    text, thoughts = _content(delta.get("content"))
    legacy = delta.get("function_call")
    return Said(
        choice=index or 0,
        text=text,
        reasoning=thoughts or _reasoning(delta),
        refusal=_text(delta.get("refusal"), "refusal"),
        calls=tuple(_call(entry) for entry in _sequence(delta.get("tool_calls"), "tool_calls")),
        legacy=None if legacy is None else _function(_object(legacy, "function_call"), None, ""),
        finish=_text(choice.get("finish_reason"), "finish_reason"),
    )


def _call(entry: Json) -> Fragment:
    node = _object(entry, "tool_calls")
    check_keys("call", node)
    index = node.get("index")
    if index is not None and (type(index) is not int or index < 0):
        raise ProviderError("protocol", "index_bad")
    function = node.get("function")
    return _function(_object(EMPTY if function is None else function, "function"), index, _text(node.get("id"), "id"))


def _function(node: Object, index: int | None, call_id: str) -> Fragment:
    check_keys("function", node)
    arguments = node.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = json.dumps(arguments, ensure_ascii=False)
    if arguments is not None and not isinstance(arguments, str):
        raise ProviderError("tool_call", "arguments_unreadable")
    return Fragment(index, call_id, _text(node.get("name"), "name"), arguments or "")


def _content(content: Json) -> tuple[str, str]:
    """Return the text and the thoughts of a content, which may be a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    text: list[str] = []
    thoughts: list[str] = []
    for part in _sequence(content, "content"):
        node = _object(part, "content")
        kind = node.get("type")
        if kind in {"text", "output_text"}:
            text.append(_text(node.get("text"), "content"))
        elif kind in {"thinking", "reasoning"}:
            inner = node.get(str(kind))
            thoughts.append(inner if isinstance(inner, str) else "".join(_texts(inner)))
        elif kind == "refusal":
            text.append(_text(node.get("refusal"), "content"))
        else:
            raise _misshapen("content")
    return "".join(text), "".join(thoughts)


def _reasoning(delta: Object) -> str:
    for name in REASONING:
        value = delta.get(name)
        if isinstance(value, str) and value:
            return value
    return "".join(_texts(delta.get("reasoning_details")))


def _texts(parts: Json) -> list[str]:
    found: list[str] = []
    if isinstance(parts, Sequence) and not isinstance(parts, str):
        for part in parts:
            value = (part.get("text") or part.get("summary")) if isinstance(part, Mapping) else None
            found += [value] if isinstance(value, str) else []
    return found


def usage(chunk: Object) -> Usage | None:
    """Return the tokens that *chunk* reports, wherever it does so, or None."""
    places: list[Json] = [chunk.get("usage")]
    extra = chunk.get("x_groq")
    places += [extra.get("usage")] if isinstance(extra, Mapping) else []
    places += [choice.get("usage") for choice in entries(chunk)]
    for place in places:
        if isinstance(place, Mapping) and place:
            return _usage(place)
    return None


def _usage(node: Object) -> Usage:
    details = node.get("prompt_tokens_details", node.get("input_tokens_details"))
    cached = _count(details, "cached_tokens") if isinstance(details, Mapping) else 0
    return Usage(
        _count(node, "prompt_tokens", "input_tokens"),
        _count(node, "completion_tokens", "output_tokens"),
        cached or _count(node, "prompt_cache_hit_tokens", "cached_tokens"),
    )


def _count(node: Object, *names: str) -> int:
    for name in names:
        value = node.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53:
            return int(value)
    return 0


def _object(node: Json, where: str) -> Object:
    if not isinstance(node, Mapping):
        raise _misshapen(where)
    return node


def _sequence(node: Json, where: str) -> Sequence[Json]:
    if node is None:
        return ()
    if not isinstance(node, Sequence) or isinstance(node, str):
        raise _misshapen(where)
    return node


def _text(node: Json, where: str) -> str:
    if node is None:
        return ""
    if not isinstance(node, str):
        raise _misshapen(where)
    return node


def _misshapen(where: str) -> ProviderError:
    return ProviderError("protocol", "chunk_misshapen", about=where)
