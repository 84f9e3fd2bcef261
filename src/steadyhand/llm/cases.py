"""Decides which known case a provider's failure is, so that the person is told what to mend; it must not decide whether it is tried again."""

import re
from typing import Literal, TypeAlias

Case: TypeAlias = Literal[
    "",
    "key_refused",
    "payment",
    "model_unknown",
    "too_long",
    "too_many",
    "server_failed",
    "unreachable",
    "silent",
    "withheld",
    "empty",
    "capped",
]

TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|max(?:imum)?[ _](?:model|input|prompt)[ _]?len|too many (?:input )?tokens"
    r"|(?:prompt|input|request|messages?|text)(?: tokens?)? (?:is|are|was|were)? ?too (?:long|large)|exceeds? (?:the )?(?:available |model'?s? )?context"
    r"|exceed_context|reduce the (?:length|size)|token limit|超出.{0,8}(?:长度|上下文)|输入.{0,6}过长",
    re.IGNORECASE,
)
NO_MODEL = re.compile(
    r"model.{0,80}(?:not (?:found|exist|supported|available)|does not exist|unknown)|(?:no such|unknown|invalid) model|模型.{0,20}不存在",
    re.IGNORECASE,
)
NO_KEY = re.compile(
    r"(?:invalid|incorrect|missing|no|wrong)[ _]?(?:api|auth\w{0,40})?[ _-]?(?:key|token)|unauthori[sz]ed|authentication",
    re.IGNORECASE,
)
NO_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credit)|exceeded your current quota|billing|arrear|余额不足|欠费", re.IGNORECASE
)
BY_REASON: dict[str, Case] = {
    "unreachable": "unreachable",
    "silent": "silent",
    "withheld": "withheld",
    "content_filter": "withheld",
    "nothing_answered": "empty",
    "cap_reached": "capped",
}


def case_of(kind: str, reason: str, status: int | None, about: str) -> Case:
    """Return the case of a failure by what is known of it; the empty word is none of them."""
    if reason in BY_REASON:
        return BY_REASON[reason]
    if kind != "provider":
        return ""
    if TOO_LONG.search(about) or status == 413:
        return "too_long"
    if status == 402 or NO_MONEY.search(about):
        return "payment"
    if status in (401, 403):
        return "key_refused"
    if status == 404 or NO_MODEL.search(about):
        return "model_unknown"
    if status == 429:
        return "too_many"
    if status is not None and status >= 500:
        return "server_failed"
    return "key_refused" if status == 400 and NO_KEY.search(about) else ""
