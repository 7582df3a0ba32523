"""Where spans and metrics go: by OpenTelemetry's own variables, if its SDK is installed (`loopwright[otel]`)."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from loopwright.app.settings import Settings
from loopwright.kernel.errors import Misconfigured

log = logging.getLogger(__name__)


@contextmanager
def telemetry(settings: Settings) -> Iterator[None]:
    """Send spans and metrics by OTLP over HTTP while this is open, where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

    A program that has set up OpenTelemetry itself (`opentelemetry-instrument`, say) keeps what it has set up.

    Raises:
        Misconfigured: the endpoint is set, and the SDK is not installed.
    """
    if not settings.otel_endpoint:
        yield
        return
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise Misconfigured(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, and {error.name} is not installed.",
            hint='Install it: pip install "loopwright[otel]"',
        ) from error
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        yield
        return
    resource = Resource.create({SERVICE_NAME: "loopwright"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    try:
        yield
    finally:  # what is not sent yet is sent now
        tracers.shutdown()
        meters.shutdown()
