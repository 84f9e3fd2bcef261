"""Decides whether and where spans are sent: nowhere, unless the settings name a place. It must not choose what is told."""

import contextlib
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING

from steadyhand import __version__
from steadyhand.core import tracing
from steadyhand.core.config import Settings
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.tracing import NoTracing, Span, Tracing, Value

if TYPE_CHECKING:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import SpanProcessor


class OpenTelemetry:
    """Spans as OpenTelemetry has them; *content* is what the settings say."""

    def __init__(self, tracer: "trace.Tracer", *, content: bool) -> None:
        self._tracer = tracer
        self._content = content

    @property
    def content(self) -> bool:
        return self._content

    @contextlib.contextmanager
    def span(self, name: str, attributes: Mapping[str, Value], *, outgoing: bool = False) -> Generator[Span]:
        from opentelemetry.trace import SpanKind  # noqa: PLC0415  # imported where telemetry is on alone

        kind = SpanKind.CLIENT if outgoing else SpanKind.INTERNAL
        begun = self._tracer.start_as_current_span(
            name, kind=kind, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        )
        with begun as span:
            told = _Told(span)
            try:
                yield told
            except BaseException as error:
                told.failed(type(error).__name__)
                raise


class _Told:
    def __init__(self, span: "trace.Span") -> None:
        self._span = span
        self._failed = False

    def note(self, name: str, value: Value) -> None:
        self._span.set_attribute(name, value)

    def failed(self, kind: str) -> None:
        from opentelemetry.trace import StatusCode  # noqa: PLC0415  # as above

        if self._failed:  # what failed inside has said more exactly why
            return
        self._failed = True
        self._span.set_attribute(tracing.ERROR, kind)
        self._span.set_status(StatusCode.ERROR)


def tracing_of(settings: Settings, processor: "SpanProcessor | None" = None) -> Tracing:
    """Return who is told of spans by the settings; *processor* takes the place of the one that sends them."""
    if settings.telemetry == "off" and processor is None:
        return NoTracing()
    try:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  # as above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  # as above

        processor = processor or _sending()
    except ImportError as error:
        raise SettingsInvalid("telemetry_missing", reason=str(error)) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "steadyhand", "service.version": __version__}))
    provider.add_span_processor(processor)
    return OpenTelemetry(provider.get_tracer("steadyhand", __version__), content=settings.telemetry_content)


def _sending() -> "SpanProcessor":
    """Return what sends spans by OTLP over HTTP to where ``OTEL_EXPORTER_OTLP_ENDPOINT`` says."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  # as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  # as above

    return BatchSpanProcessor(OTLPSpanExporter())
