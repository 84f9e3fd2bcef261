"""Decides what a finish reason, in any vendor's words, means for an answer; it must not take an unknown one for an end."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

Ending: TypeAlias = Literal["ended", "called", "cut", "withheld", "failed", "rejected", "unknown"]

WORDS: dict[Ending, frozenset[str]] = {
    "ended": frozenset(
        {
            "stop",
            "end_turn",
            "eos",
            "eos_token",
            "stop_sequence",
            "stop_token",
            "end",
            "complete",
            "completed",
            "finished",
            "normal",
        }
    ),
    "called": frozenset({"tool_calls", "tool_call", "tool_use", "function_call", "function_calls"}),
    "cut": frozenset(
        {
            "length",
            "max_tokens",
            "max_output_tokens",
            "max_length",
            "model_length",
            "token_limit",
            "incomplete",
            "context_length_exceeded",
            "model_context_window_exceeded",
        }
    ),
    "withheld": frozenset(
        {
            "content_filter",
            "content_filtered",
            "sensitive",
            "safety",
            "image_safety",
            "recitation",
            "blocklist",
            "prohibited_content",
            "spii",
            "language",
            "refusal",
            "guardrail_intervened",
        }
    ),
    "failed": frozenset(
        {
            "error",
            "network_error",
            "engine_error",
            "server_error",
            "insufficient_system_resource",
            "abort",
            "aborted",
            "cancelled",
            "canceled",
            "timeout",
            "repetition",
            "repetition_truncation",
            "other",
        }
    ),
    "rejected": frozenset({"malformed_function_call", "unexpected_tool_call", "too_many_tool_calls"}),
}
ABSENT = frozenset({"", "null", "none"})
WORST_FIRST: tuple[Ending, ...] = ("failed", "rejected", "withheld", "cut", "unknown", "called", "ended")


def ending(word: str) -> Ending | None:
    """Return what *word* means; None when it says that there is no end yet."""
    word = word.strip().lower().replace("-", "_")
    if word in ABSENT:
        return None
    for meaning, words in WORDS.items():
        if word in words:
            return meaning
    return "rejected" if "malformed" in word else "unknown"


def worst(endings: Iterable[Ending]) -> Ending | None:
    """Return the one that decides when a stream gave several."""
    given = set(endings)
    return next((one for one in WORST_FIRST if one in given), None)
