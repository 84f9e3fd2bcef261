"""Decides whether a reply asserts what nobody looked up in its turn; it must not judge whether the assertion is true."""

from collections.abc import Iterable, Sequence

from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.gate.claims import Assertion
from steadyhand.tools.result import ToolResult


def supported(
    text: str, results: Iterable[tuple[ToolCall, ToolResult]], assertions: Sequence[Assertion], language: Language
) -> str:
    """Return *text*, with a note below it for each assertion in it that no answered call of the turn supports."""
    answered = {call.name for call, result in results if not result.is_error}
    notes = [say(language, one.note) for one in assertions if one.words.search(text) and not one.looks & answered]
    return "\n".join([text, *notes])
