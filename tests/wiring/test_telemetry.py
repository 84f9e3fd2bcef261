"""Spans of a turn: none unless the settings ask for them, by the names of the convention, without what was said unless asked for."""

import asyncio
import json
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from schedule_ground.desk import run
from steadyhand.core import tracing
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.core.wire import Completion, ToolCall, Usage
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.scripted import Line, Scripted
from steadyhand.llm.traced import TracedProvider
from steadyhand.wiring import talking
from steadyhand.wiring.app import open_app
from steadyhand.wiring.telemetry import tracing_of

HERE = SessionId("traced")
SECRET = "the dentist on Friday"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


def turn(
    folder: Path, spans: InMemorySpanExporter | None, script: list[Line], monkeypatch: pytest.MonkeyPatch, *, content: bool
) -> dict[str, ReadableSpan]:
    """Run one turn of a scripted model with telemetry into *spans*, and return them by name."""
    settings = Settings(data_dir=folder, telemetry="otlp" if spans else "off", telemetry_content=content)
    processor = SimpleSpanProcessor(spans) if spans else None
    told = tracing_of(settings, processor) if spans else tracing_of(settings)
    monkeypatch.setattr(talking, "tracing_of", lambda _settings: told)
    app = open_app(settings, "en", FakeClock())
    provider = TracedProvider(Scripted(script), told, app.store.clock, name="127.0.0.1", model="small")
    conversations = app.conversations(lambda _user, _session: None, provider)
    run(conversations.accept(LOCAL_USER, HERE, SECRET, channel="terminal"))
    assert run(conversations.run(LOCAL_USER, HERE))
    app.store.close()
    return {span.name: span for span in spans.get_finished_spans()} if spans else {}


LOOKS: list[Line] = [
    Completion(tool_calls=(ToolCall("c1", "list_changes", "{}"),), finish="tool_calls", usage=Usage(40, 7)),
    Completion("You have none.", usage=Usage(50, 9, 30)),
]


def test_a_turn_is_a_span_with_the_answers_and_the_calls_inside_it(tmp_path, spans, monkeypatch):
    found = turn(tmp_path, spans, list(LOOKS), monkeypatch, content=False)
    whole, tool = found["invoke_agent steadyhand"], found["execute_tool list_changes"]
    assert whole.attributes is not None
    assert whole.attributes[tracing.CONVERSATION] == HERE
    assert tool.parent is not None
    assert tool.parent.span_id == whole.context.span_id
    assert dict(tool.attributes or {}) == {
        tracing.OPERATION: "execute_tool",
        tracing.TOOL: "list_changes",
        tracing.TOOL_CALL: "c1",
        tracing.TOOL_TYPE: "function",
    }
    answers = [span for span in spans.get_finished_spans() if span.name == "chat small"]
    assert [(span.attributes or {})[tracing.OUTPUT_TOKENS] for span in answers] == [7, 9]
    assert (answers[1].attributes or {})[tracing.CACHED_TOKENS] == 30
    assert (answers[0].attributes or {})[tracing.FINISH_REASONS] == ("tool_calls",)


def test_what_was_said_is_in_no_span_unless_it_is_asked_for(tmp_path, spans, monkeypatch):
    turn(tmp_path, spans, list(LOOKS), monkeypatch, content=False)
    everything = "".join(span.to_json() for span in spans.get_finished_spans())
    assert SECRET not in everything
    assert "You have none" not in everything


def test_asked_for_it_is_there(tmp_path, spans, monkeypatch):
    turn(tmp_path, spans, list(LOOKS), monkeypatch, content=True)
    answers = [span for span in spans.get_finished_spans() if span.name == "chat small"]
    sent = json.loads(str((answers[0].attributes or {})[tracing.INPUT_MESSAGES]))
    assert sent[-1] == {"role": "user", "content": SECRET}
    assert "You have none." in str((answers[1].attributes or {})[tracing.OUTPUT_MESSAGES])


def test_a_failed_answer_and_a_failed_call_are_marked_by_their_codes(tmp_path, spans, monkeypatch):
    script: list[Line] = [
        Completion(tool_calls=(ToolCall("c1", "show_change", '{"number": 9}'),), finish="tool_calls"),
        ProviderError("truncated", "cut_short"),
    ]
    turn(tmp_path, spans, script, monkeypatch, content=False)
    by_name = {span.name: span.attributes or {} for span in spans.get_finished_spans()}
    assert by_name["execute_tool show_change"][tracing.ERROR] == "change_unknown"
    assert by_name["chat small"][tracing.ERROR] == "provider_truncated"
    assert by_name["invoke_agent steadyhand"][tracing.ERROR] == "provider_truncated"


def test_left_off_nothing_is_told_and_the_turn_is_the_same(tmp_path, monkeypatch):
    assert turn(tmp_path, None, list(LOOKS), monkeypatch, content=False) == {}


def test_a_stopped_turn_ends_its_spans(tmp_path, spans, monkeypatch):
    """A turn that is cancelled inside an answer closes the spans that it had opened."""
    settings = Settings(data_dir=tmp_path, telemetry="otlp")
    told = tracing_of(settings, SimpleSpanProcessor(spans))
    monkeypatch.setattr(talking, "tracing_of", lambda _settings: told)
    app = open_app(settings, "en", FakeClock())
    asked = asyncio.Event()

    class Waiting:
        async def stream(self, request):
            asked.set()
            await asyncio.Event().wait()
            yield Completion(str(request))

    provider = TracedProvider(Waiting(), told, app.store.clock, name="127.0.0.1", model="small")
    conversations = app.conversations(lambda _user, _session: None, provider)

    async def stopped() -> None:
        await conversations.accept(LOCAL_USER, HERE, "wait", channel="terminal")
        running = asyncio.ensure_future(conversations.run(LOCAL_USER, HERE))
        await asked.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run(stopped())
    app.store.close()
    assert {span.name for span in spans.get_finished_spans()} == {"chat small", "invoke_agent steadyhand"}
