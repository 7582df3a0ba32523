"""Spans and metrics of a run, as a collector gets them."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.commands import Installation


class Collector:
    """Takes what is sent by OTLP over HTTP."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.metrics: set[str] = set()
        self.bodies = b""

    def take(self, path: str, body: bytes) -> None:
        self.bodies += body
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        else:
            for metrics in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics |= {each.name for scope in metrics.scope_metrics for each in scope.metrics}


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    """A collector, and its address."""
    collecting = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collecting.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield collecting, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def attributes(span: Span) -> dict[str, str]:
    return {each.key: each.value.string_value for each in span.attributes}


def test_a_run_is_told_to_a_collector(tmp_path: Path, collector: tuple[Collector, str]) -> None:
    collecting, address = collector
    place = Installation(tmp_path, {"OTEL_EXPORTER_OTLP_ENDPOINT": address})
    place.run("pages", "a coffee shop app with a menu", "--yes", timeout=180)
    runs, tools, chats, steps = (
        {each.span_id: each for each in collecting.spans if each.name.startswith(kind)}
        for kind in ("invoke_agent pages", "execute_tool", "chat", "step ")
    )
    run_id = place.newest_run()["run_id"]
    assert {attributes(run)["loopwright.run_id"] for run in runs.values()} == {run_id}
    assert {attributes(chat)["gen_ai.operation.name"] for chat in chats.values()} == {"chat"}
    assert {steps[tool.parent_span_id].parent_span_id for tool in tools.values()} <= set(runs)
    assert any(chat.parent_span_id in steps for chat in chats.values())
    assert {each.trace_id.hex() for each in collecting.spans} == {run_id}
    assert collecting.metrics >= {
        "gen_ai.client.operation.duration",
        "gen_ai.client.token.usage",
        "gen_ai.execute_tool.duration",
        "gen_ai.invoke_agent.duration",
    }
    assert b"coffee" not in collecting.bodies  # content is never sent


def test_a_collector_that_is_away_costs_nothing(tmp_path: Path) -> None:
    place = Installation(tmp_path, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    done = place.run("runs", "list")
    assert done.code == 0
