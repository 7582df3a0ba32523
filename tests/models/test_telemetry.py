"""Each request leaves one line and one span, with the six labels, and nothing secret."""

import logging

import pytest
from opentelemetry import trace

from loopwright.kernel.errors import ModelRejected
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest, RequestLabels
from loopwright.models import telemetry
from tests.models.conftest import KEY, LOOKUP
from tests.support import model_server as server

LABELS = RequestLabels("conversation-1", "run-1", "agent", "loop", 1, True)
REQUEST = ModelRequest([Message.user("a private matter")], LOOKUP, labels=LABELS)


class RecordingSpan(trace.NonRecordingSpan):
    """A span that keeps what it is told."""

    def __init__(self, name):
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.name, self.attributes, self.status, self.ended = name, {}, None, 0

    def is_recording(self):
        return True

    def update_name(self, name):
        self.name = name

    def set_attribute(self, key, value):
        self.attributes[key] = value

    def set_attributes(self, attributes):
        self.attributes.update(attributes)

    def set_status(self, status, description=None):
        self.status = status

    def end(self, end_time=None):
        self.ended += 1


@pytest.fixture
def spans(monkeypatch):
    """The spans that were started."""
    made: list[RecordingSpan] = []

    def start():
        made.append(RecordingSpan("chat"))
        return made[-1]

    monkeypatch.setattr(telemetry, "start_span", start)
    return made


async def test_a_line_with_the_six_labels(talk, caplog):
    caplog.set_level(logging.INFO, "loopwright.models")
    async with talk([server.text("a private answer")]) as t:
        await t.client.complete(REQUEST)
    (line,) = [record for record in caplog.records if "model request" in record.message]
    for field in ("conversation_id=conversation-1", "run_id=run-1", "mode=agent", "stage=loop", "tool_count=1"):
        assert field in line.message
    assert "reasoning=True" in line.message
    assert line.model_request["prompt_tokens"] == 100
    assert line.model_request["attempts"] == 1
    assert "private" not in caplog.text
    assert KEY not in caplog.text


async def test_attempts_are_told_as_they_fail(talk, caplog):
    caplog.set_level(logging.INFO, "loopwright.models")
    async with talk([server.status(500, f"about {KEY}"), server.text("ok")]) as t:
        await t.client.complete(REQUEST)
    assert "attempt 1 failed, next in 0.5 s" in caplog.text
    assert "attempts=2" in caplog.text
    assert KEY not in caplog.text


async def test_a_span_by_the_conventions(talk, spans):
    async with talk([server.text("a private answer")]) as t:
        await t.client.complete(REQUEST)
    (span,) = spans
    assert (span.name, span.ended) == ("chat gpt-4.1", 1)
    assert span.attributes["gen_ai.operation.name"] == "chat"
    assert span.attributes["gen_ai.request.model"] == "gpt-4.1"
    assert span.attributes["gen_ai.response.model"] == "scripted"
    assert span.attributes["gen_ai.usage.input_tokens"] == 100
    assert span.attributes["gen_ai.usage.output_tokens"] == 20
    assert span.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert span.attributes["loopwright.run_id"] == "run-1"
    assert "private" not in repr(span.attributes)


async def test_failures_are_in_both(talk, spans, caplog):
    caplog.set_level(logging.INFO, "loopwright.models")
    async with talk([server.status(401, f"bad key {KEY}")]) as t:
        with pytest.raises(ModelRejected):
            await t.client.complete(REQUEST)
    (span,) = spans
    assert span.ended == 1
    assert span.attributes["error.type"] == "model_rejected"
    assert span.status.status_code is trace.StatusCode.ERROR
    assert KEY not in span.status.description
    assert "error=model_rejected" in caplog.text
    assert KEY not in caplog.text
