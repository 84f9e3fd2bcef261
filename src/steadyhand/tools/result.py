"""Decides what a tool hands back, and to whom each part of it goes; it must never be matched as a string to decide that."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from steadyhand.core.canonical import Json, canonical, legible
from steadyhand.core.delivery import Delivery

DRAFTING = "drafting"
"""The key of a result's data that names the change which the call has opened and which now waits for its spec."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of one tool call.

    The model sees *for_llm* alone, a person *for_user* alone. *silent* keeps it from the person wherever it goes.
    *err* is the cause, for the journal; it is never serialised. *data* is typed content for code, never prose for a model.
    *code* is ``ok`` or a stable word for what went wrong. *ends_turn* says that the turn must stop here: the person is to answer.
    """

    for_llm: str
    for_user: str = ""
    silent: bool = False
    is_error: bool = False
    is_async: bool = False
    err: BaseException | None = None
    data: Json = None
    delivery: Delivery = "user"
    code: str = "ok"
    job_id: str | None = None
    ends_turn: bool = False

    def to_json(self) -> Mapping[str, Json]:
        """Return what is stored: every part but *err*, with *is_async* under the key ``async``."""
        return {
            "for_llm": self.for_llm,
            "for_user": self.for_user,
            "silent": self.silent,
            "is_error": self.is_error,
            "async": self.is_async,
            "data": self.data,
            "delivery": self.delivery,
            "code": self.code,
            "job_id": self.job_id,
            "ends_turn": self.ends_turn,
        }


def tool_result(for_llm: str, *, data: Json = None) -> ToolResult:
    """A plain result: the model reads it, a person does not."""
    return ToolResult(for_llm, data=data)


def silent_result(for_llm: str, *, data: Json = None) -> ToolResult:
    """A result that must not reach a person."""
    return ToolResult(for_llm, silent=True, data=data)


def async_result(for_llm: str, *, job_id: str | None = None, delivery: Delivery = "user") -> ToolResult:
    """A result that says that work has started; its end arrives by the job."""
    return ToolResult(for_llm, is_async=True, job_id=job_id, delivery=delivery)


def error_result(for_llm: str, *, code: str = "failed", err: BaseException | None = None, data: Json = None) -> ToolResult:
    """A refusal or failure that the model can read."""
    return ToolResult(for_llm, is_error=True, code=code, err=err, data=data)


def user_result(content: str, *, data: Json = None) -> ToolResult:
    """A result whose content is for the person and the model alike."""
    return ToolResult(content, for_user=content, data=data)


def storable(result: ToolResult) -> ToolResult:
    """Return *result* as any database can keep it: text made legible, data that is no JSON left out."""
    texts = {"for_llm": legible(result.for_llm), "for_user": legible(result.for_user), "code": legible(result.code)}
    return replace(result, **texts, data=result.data if _is_json(result.data) else None)


def _is_json(data: Json) -> bool:
    try:
        canonical(data)
    except (ValueError, TypeError, RecursionError):
        return False
    return True
