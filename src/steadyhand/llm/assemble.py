"""Decides what an answer that came in pieces says, whole or not at all; it must not repair, guess, or hand out a call before the end.

The rules: nothing is complete without ``[DONE]``; a finish reason that is no end voids the calls; arguments are read strictly, once,
at the end; one broken event voids everything; text and reasoning are never run. What is not certain is a `ProviderError`.

What is promised of a damaged stream: the calls are those of the intact one, or none. One thing nobody can see, since the damaged
stream is as good as another one: a change that leaves a well-formed stream and lies within one value, one id, or the fragments of one
value. Then the calls, their order, their names and the names of their arguments are still those of the intact stream.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steadyhand.core.arguments import MAX_ARGUMENT_BYTES
from steadyhand.core.wire import Completion, Delta, ToolCall, ToolSpec, Usage
from steadyhand.llm.chunks import Said, choices, entries, said, usage
from steadyhand.llm.failures import reported
from steadyhand.llm.finishes import Ending, ending, worst
from steadyhand.llm.fragments import Calls, Fragment
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.sse import BOM, Event, EventReader
from steadyhand.llm.strict import EMPTY, Object, Text, check_chunk, check_keys, load, tells_of_failure

DONE = b"[DONE]"
MAX_ANSWER_BYTES = 32_000_000
MAX_BLANK_BYTES = 64_000


class Assembler:
    """Takes the bytes of one response with status 200, cut anywhere; gives pieces of text while they come, and one completion.

    *tools* are those that were offered: a call for another one cannot be used. A body that is one JSON document is read as well.
    """

    def __init__(
        self,
        tools: Sequence[ToolSpec] = (),
        *,
        argument_bytes: int = MAX_ARGUMENT_BYTES,
        answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self._tools = tools
        self._most = answer_bytes
        self._size = 0
        self._raw: list[bytes] = []
        self._events = EventReader()
        self._head: bytes | None = b""
        self._is_document = False
        self._text, self._reasoning, self._refusal = Text(), Text(), Text()
        self._calls = Calls(argument_bytes)
        self._legacy = Calls(argument_bytes)
        self._endings: list[Ending] = []
        self._usage = Usage()
        self._choice: int | None = None
        self.done = False

    def feed(self, data: bytes) -> list[Delta]:
        """Take the next bytes; return the text that they bring. Raises `ProviderError` as soon as the answer cannot become whole."""
        self._size += len(data)
        if self._size > self._most:
            raise ProviderError("protocol", "answer_too_long")
        self._raw.append(data)
        if self._head is not None:
            data = self._begun(data)
        if not data or self._is_document:
            return []
        deltas: list[Delta] = []
        for event in self._events.feed(data):
            self._event(event, deltas)
        return deltas

    def _begun(self, data: bytes) -> bytes:
        """Look at how the body begins: a page is no answer, and a document is read when it is whole."""
        self._head = (self._head or b"") + data
        start = self._head.removeprefix(BOM).lstrip()
        if not start or BOM.startswith(start):
            if len(self._head) > MAX_BLANK_BYTES:
                raise ProviderError("protocol", "not_an_event")
            return b""
        if start.startswith(b"<"):
            raise ProviderError("protocol", "page_of_html")
        data, self._head = self._head, None
        self._is_document = start.startswith((b"{", b"["))
        return data

    def end(self, *, broken: bool = False) -> Completion:
        """Return the answer; *broken* says that the connection broke off. Raises `ProviderError` when there is no whole answer."""
        if self._is_document:
            self._document(broken=broken)
        else:
            self._last(self._events.rest())
        if not self.done:
            raise ProviderError(
                "truncated", "broken_off" if broken else "done_missing", retryable=True, answer=Completion(self._text.so_far())
            )
        return self._completion()

    def _last(self, event: Event | None) -> None:
        """Read an event that the end left open: it counts when it is the end mark or tells of a failure."""
        if event is None:
            return
        if self.done or event.kind or event.data.strip() == DONE:
            self._event(event, [])
            return
        try:
            failure = reported(_object(event.data))
        except ProviderError:
            return
        if failure is not None:
            raise failure

    # ---- what comes in -----------------------------------------------------------------------------------------------

    def _event(self, event: Event, deltas: list[Delta]) -> None:
        data = event.data.strip()
        if tells_of_failure(event.kind):
            raise _error_event(data)
        if event.kind == "bare":
            raise reported(_object(data)) or ProviderError("protocol", "not_an_event")
        if data == DONE:
            self.done = True
        elif data:
            self._chunk(_object(data), deltas)

    def _chunk(self, chunk: Object, deltas: list[Delta]) -> None:
        self._report(chunk)
        for piece in choices(chunk):
            if not piece.anything:
                continue
            if self.done:
                raise ProviderError("protocol", "more_after_done")
            delta = self._take(piece)
            if delta.text or delta.reasoning:
                deltas.append(delta)

    def _report(self, chunk: Object) -> None:
        """Raise the failure that *chunk* reports, if it does; note the tokens that it counts."""
        check_keys("chunk", chunk)
        failure = reported(chunk)
        for choice in entries(chunk):
            failure = failure or (reported(choice) if choice.get("error") else None)
        if failure is not None:
            raise failure
        check_chunk(chunk)
        self._usage = usage(chunk) or self._usage

    def _take(self, piece: Said) -> Delta:
        if self._choice not in (None, piece.choice):
            raise ProviderError("protocol", "several_choices")
        self._choice = piece.choice
        for fragment in piece.calls:
            self._calls.add(fragment)
        if piece.legacy is not None:
            self._legacy.add(Fragment(0, "", piece.legacy.name, piece.legacy.arguments))
        meaning = ending(piece.finish)
        if meaning is not None:
            self._endings.append(meaning)
        self._refusal.add(piece.refusal)
        return Delta(self._text.add(piece.text), self._reasoning.add(piece.reasoning))

    def _document(self, *, broken: bool) -> None:
        """Read a body that is no stream but one whole answer: what stands for its end is that it is whole and says how it finished."""
        try:
            chunk = _object(b"".join(self._raw).strip().removeprefix(BOM))
        except ProviderError:
            if broken:
                raise ProviderError("truncated", "broken_off", retryable=True) from None
            raise
        self._report(chunk)
        found = entries(chunk)
        choice = found[0] if len(found) == 1 else EMPTY
        message = choice.get("message")
        if not isinstance(message, Mapping):
            raise ProviderError("protocol", "not_an_event")
        check_keys("choice", choice)
        whole = said(choice, message)
        calls = [Fragment(place, one.id, one.name, one.arguments) for place, one in enumerate(whole.calls)]
        self._take(Said(0, whole.text, whole.reasoning, whole.refusal, tuple(calls), whole.legacy, whole.finish))
        self.done = bool(self._endings)

    # ---- what comes out ----------------------------------------------------------------------------------------------

    def _completion(self) -> Completion:
        finish = worst(self._endings)
        text, refusal = self._text.whole(), self._refusal.whole()
        _may_end(finish, refused=bool(refusal))
        wanted = bool(self._calls or self._legacy)
        if finish == "cut" and (wanted or not text):
            raise ProviderError("truncated", "cut_short", answer=Completion(text))
        calls = self._usable_calls() if wanted else ()
        if refusal and calls:
            raise ProviderError("protocol", "refusal_with_calls")
        if finish == "called" and not calls:
            raise ProviderError("protocol", "calls_missing")
        reasoning = self._reasoning.whole()
        if not (finish or text or refusal or calls):
            raise ProviderError("protocol", "nothing_answered")
        if calls:
            word = "tool_calls"
        elif refusal:
            word = "refusal"
        else:
            word = "length" if finish == "cut" else "stop"
        return Completion(text + refusal, reasoning, calls, word, self._usage, b"".join(self._raw))

    def _usable_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls; where one of them cannot be used the error tells all that came, for the model to read what was wrong."""
        try:
            return self._whole_calls()
        except ProviderError as error:
            if error.answer is not None:
                error.answer = replace(error.answer, text=self._text.whole(), reasoning=self._reasoning.whole())
            raise

    def _whole_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls; some servers mirror them in the field that calls had before, which must then say the same."""
        if not self._calls:
            return self._legacy.whole(self._tools)
        if self._legacy:
            mirrored, texts = "".join(self._legacy.texts), self._calls.texts
            if mirrored != "".join(texts) and mirrored not in texts:
                raise ProviderError("protocol", "call_ambiguous")
        return self._calls.whole(self._tools)


def _may_end(finish: Ending | None, *, refused: bool) -> None:
    """Raise when an answer that finished so is no answer."""
    if finish == "withheld" and not refused:
        raise ProviderError("provider", "withheld")
    if finish == "failed":
        raise ProviderError("provider", "generation_failed")
    if finish == "rejected":
        raise ProviderError("provider", "call_rejected")
    if finish == "unknown":
        raise ProviderError("protocol", "finish_unknown")


def _object(data: bytes) -> Object:
    try:
        value = load(data.decode())
    except UnicodeDecodeError:
        raise ProviderError("protocol", "not_utf8") from None
    except ValueError:
        raise ProviderError("protocol", "not_json") from None
    if not isinstance(value, Mapping):
        raise ProviderError("protocol", "not_json")
    return value


def _error_event(data: bytes) -> ProviderError:
    """Return the failure that an event of the kind ``error`` reports, even when its data are no JSON."""
    try:
        told = _object(data)
    except ProviderError:
        told = {"error": data.decode("utf-8", "replace") or "error"}
    return reported(told) or ProviderError("provider", "server_error")
