"""What the stages read out of answers: reasoning is taken out always, and demanded where the user wants it."""

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from loopwright.agents.ide.contracts.delivery import DeliveryCheck
from loopwright.agents.ide.contracts.qa import QAReport
from loopwright.agents.ide.contracts.reasoning import Reasoning
from loopwright.agents.ide.flow.reasoning import read_macro, read_micro, without_reasoning
from loopwright.kernel.spec import Parsed

DELIVERY_SCHEMA = "agent/delivery_gate"
REPORT_SCHEMA = "qa/report_schema"
"""The prompts that a model is shown again whose answer has not the shape that they ask for."""

Parser = Callable[[str], Parsed]


def plain(text: str) -> Parsed:
    """An answer of which nothing is demanded: reasoning that nobody asked for is dropped."""
    rest = without_reasoning(text)
    return Parsed(visible=rest, kept=rest)


def with_macro(text: str) -> Parsed:
    """An answer that needs a macro block."""
    return _reasoned(text, read_macro)


def with_micro(text: str) -> Parsed:
    """An answer that needs a micro block."""
    return _reasoned(text, read_micro)


def delivery(text: str) -> Parsed:
    """The delivery check, a small JSON object."""
    return _structured(plain(text), DeliveryCheck, DELIVERY_SCHEMA)


def delivery_with_micro(text: str) -> Parsed:
    """The delivery check behind a micro block."""
    return _structured(with_micro(text), DeliveryCheck, DELIVERY_SCHEMA)


def report(text: str) -> Parsed:
    """The QA report; one that cannot be read is dealt with by the stage's judge, since QA may not stop a run."""
    return _without_complaint(_structured(plain(text), QAReport, REPORT_SCHEMA))


def report_with_micro(text: str) -> Parsed:
    """The QA report behind a micro block."""
    return _without_complaint(_structured(with_micro(text), QAReport, REPORT_SCHEMA))


def read_json(text: str, model: type[BaseModel]) -> BaseModel | None:
    """The first JSON object in the text that fits the model; fences and words around it are forgiven."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            found, _ = decoder.raw_decode(text, start)
            return model.model_validate(found)
        except (ValueError, RecursionError, ValidationError):
            start = text.find("{", start + 1)
    return None


def _reasoned(text: str, read: Callable[[str], Reasoning | str]) -> Parsed:
    rest = without_reasoning(text)
    found = read(text)
    if isinstance(found, str):
        return Parsed(visible=rest, kept=rest, complaint=found)
    kept = f"{rest}\n\n{found.outcome.as_text()}".strip()
    return Parsed(visible=rest, kept=kept, records=(found,))


def _structured(parsed: Parsed, model: type[BaseModel], schema: str) -> Parsed:
    found = read_json(parsed.visible, model)
    complaint = parsed.complaint or (schema if found is None else None)
    records: tuple[Any, ...] = (*parsed.records, *([found] if found is not None else []))
    return Parsed(visible=parsed.visible, kept=parsed.kept, records=records, complaint=complaint)


def _without_complaint(parsed: Parsed) -> Parsed:
    return Parsed(visible=parsed.visible, kept=parsed.kept, records=parsed.records)
