"""Spans and metrics of runs, steps and tools, by OpenTelemetry's conventions for generative AI; never any content.

Names and attributes are those of the `gen_ai.*` semantic conventions (repository semantic-conventions-genai, status
Development), written out here since the packages that hold them move their names. Without an SDK in the process all of
this does nothing.
"""

import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from loopwright.kernel.gates import Cancelled, Failed, Outcome

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Histogram
    from opentelemetry.trace import Span, Tracer

    from loopwright.kernel.run import AgentRun
    from loopwright.kernel.tools import ToolResult

SECONDS, TOKENS = "s", "{token}"
RUN_ID = re.compile(r"[0-9a-f]{32}")
"""Ids of ours; those of others are no ids of traces."""


class Told:
    """A span that is open, and what its metric is to say."""

    def __init__(self, span: "Span") -> None:
        """Nothing has gone wrong yet."""
        self.span = span
        self.error = ""

    def outcome(self, outcome: Outcome | None) -> None:
        """How a run or a step has gone; a run that waits has not failed."""
        if isinstance(outcome, Failed):
            self.failed(outcome.code, outcome.message)
        elif isinstance(outcome, Cancelled):
            self.failed("cancelled", "")

    def result(self, result: "ToolResult") -> None:
        """How a tool call has gone."""
        if not result.success:
            self.failed("tool_error", "")

    def failed(self, error_type: str, description: str) -> None:
        """What was done has failed."""
        self.error = error_type
        if self.span.is_recording():
            from opentelemetry.trace import Status, StatusCode

            self.span.set_attribute("error.type", error_type)
            self.span.set_status(Status(StatusCode.ERROR, description))


@contextmanager
def telling_run(run: "AgentRun") -> Iterator[Told]:
    """The span of a run's stay in this process, from its start or its resumption to its end or its next gate.

    All stays of a run, in whatever process, are of one trace, whose id is the run's; within a span of somebody else
    they belong to that one's trace.
    """
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "loopwright",
        "gen_ai.agent.name": run.spec.name,
        "gen_ai.conversation.id": run.state.session_id,
        "loopwright.run_id": run.state.run_id,
    }
    name, metric = f"invoke_agent {run.spec.name}", "gen_ai.invoke_agent.duration"
    with _telling(name, attributes, metric, trace_of(run.state.run_id)) as told:
        yield told


@contextmanager
def telling_step(run: "AgentRun") -> Iterator[Told]:
    """The span of one step: a model call with its tool calls, or an action."""
    attributes = {"loopwright.step": run.state.steps, "loopwright.stage": run.state.stage}
    with _telling(f"step {run.state.stage}", attributes, "") as told:
        yield told


@contextmanager
def telling_tool(name: str, call_id: str) -> Iterator[Told]:
    """The span of one tool call."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.type": "function",
    }
    with _telling(f"execute_tool {name}", attributes, "gen_ai.execute_tool.duration") as told:
        yield told


def trace_of(run_id: str) -> "Context | None":
    """The context in which all spans of a run get the run's own trace; None inside of another span, which is joined."""
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        get_current_span,
        set_span_in_context,
    )

    if get_current_span().get_span_context().is_valid or not RUN_ID.fullmatch(run_id):
        return None
    flags = TraceFlags(TraceFlags.SAMPLED)
    parent = SpanContext(int(run_id, 16), int(run_id[16:], 16), is_remote=True, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(parent))


@contextmanager
def _telling(name: str, attributes: dict[str, Any], metric: str, context: "Context | None" = None) -> Iterator[Told]:
    started = time.perf_counter()
    with _span(name, attributes, context) as span:
        told = Told(span)
        try:
            yield told
        except BaseException as error:
            told.error = type(error).__name__
            span.set_attribute("error.type", told.error)
            raise
        finally:
            if metric:
                measure(metric, SECONDS, time.perf_counter() - started, _few(attributes, told.error))


def _span(name: str, attributes: dict[str, Any], context: "Context | None") -> "AbstractContextManager[Span]":
    """An open span. Without an SDK it is none at all: even one that goes nowhere takes a tenth of a step's time."""
    from opentelemetry.trace import INVALID_SPAN, ProxyTracerProvider, get_tracer_provider

    if isinstance(get_tracer_provider(), ProxyTracerProvider):
        return nullcontext(INVALID_SPAN)
    return tracer().start_as_current_span(name, context, attributes=attributes)


def measure(metric: str, unit: str, value: float, attributes: dict[str, Any]) -> None:
    """Record one value of a metric."""
    _histogram(metric, unit).record(value, attributes)


def _few(attributes: dict[str, Any], error: str) -> dict[str, Any]:
    """The attributes that a metric may have: those with few values."""
    kept = {name: attributes[name] for name in attributes if not name.endswith((".id", "run_id"))}
    return kept | {"error.type": error} if error else kept


@cache
def tracer() -> "Tracer":
    """The tracer of all spans of ours."""
    from opentelemetry.trace import get_tracer

    return get_tracer("loopwright")


@cache
def _histogram(name: str, unit: str) -> "Histogram":
    from opentelemetry.metrics import get_meter

    return get_meter("loopwright").create_histogram(name, unit)
