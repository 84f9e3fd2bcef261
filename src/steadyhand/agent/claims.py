"""Decides whether a reply asserts what nobody looked up in its turn; it must not judge whether the assertion is true."""

import re
from collections.abc import Collection, Iterable

from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.tools.result import ToolResult


def asserts_unseen(text: str) -> bool:
    """Tell whether *text*, in either language, says that times are free or do not conflict."""
    return any(re.search(say(language, "agent.unchecked_words"), text, re.IGNORECASE) for language in ("zh-CN", "en"))


def looked(results: Iterable[tuple[ToolCall, ToolResult]], looks: Collection[str]) -> bool:
    """Tell whether a call of the turn, of one of the tools that *looks* names, was answered."""
    return any(call.name in looks and not result.is_error for call, result in results)


def supported(text: str, results: Iterable[tuple[ToolCall, ToolResult]], looks: Collection[str], language: Language) -> str:
    """Return *text*, with a note below it when it asserts what its turn did not look up."""
    if text and asserts_unseen(text) and not looked(results, looks):
        return f"{text}\n{say(language, 'agent.unchecked')}"
    return text
