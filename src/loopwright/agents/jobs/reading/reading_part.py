"""Reading one part: each unit gets its verdict, and what is a requirement is stored."""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

from loopwright.agents.jobs.candidates.patterns import Language
from loopwright.agents.jobs.contracts import JobState
from loopwright.agents.jobs.reading.storing import (
    STRONG,
    ClassifiedUnit,
    Material,
    Unit,
    decided,
    rules_on,
    store,
    verdict,
)
from loopwright.kernel.emitter import RunModel
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import ToolModel

# --------------------------------------------------------------------------------------------------------------------
# The one small question about a sentence: does it demand something?
# --------------------------------------------------------------------------------------------------------------------

PROMPTS: dict[Language, str] = {"en": "jobs/sorting", "de": "jobs/sorting_de"}
MOST_CHARACTERS = 1_500
ANSWER_TOKENS = 40
ATTEMPTS = 2


class Sorted(BaseModel):
    """What the model answers about one sentence."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["demand", "information"]


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["demand", "information"]}},
    "required": ["kind"],
    "additionalProperties": False,
}


async def asked(unit: Unit, language: Language, model: ToolModel, prompts: PromptRepository) -> Sorted | str:
    """What the model says of the sentence, or in words why it has said nothing that could be used.

    Raises:
        ModelError: the model gave no answer at all.
    """
    request = ModelRequest(
        messages=[Message.system(prompts.render(PROMPTS[language])), *_examples(language), Message.user(_told(unit))],
        tier="powerful",
        max_tokens=ANSWER_TOKENS,
        temperature=0.0,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": Sorted.__name__, "schema": SCHEMA, "strict": True},
        },
    )
    problem = ""
    for _ in range(ATTEMPTS):
        response = await model.complete(request)
        try:
            return Sorted.model_validate(from_json(response.text[response.text.find("{") :].encode()))
        except (ValueError, ValidationError):
            problem = f"the model answered {response.text[:80]!r}"
    return problem


def _told(unit: Unit) -> str:
    lead = unit.sentence.lead_in if unit.sentence is not None else ""
    return f"{lead} {unit.text}".strip()[:MOST_CHARACTERS]


@cache
def _examples(language: Language) -> tuple[Message, ...]:
    told = json.loads(resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8"))
    return tuple(
        message
        for sentence, kind in told[language]
        for message in (Message.user(sentence), Message.assistant(to_json({"kind": kind}).decode()))
    )


PURPOSE = "reading"
RULES_DISAGREE = "the rules read a demand here"
TOLD_EVERY = 5
"""Sentences between two tellings of how far it is."""


async def read_part(
    run: AgentRun, state: JobState, material: Material, units: Sequence[Unit], key: str
) -> list[ClassifiedUnit]:
    """Read the units of a part.

    Raises:
        ModelError: the model cannot be reached; what it has answered so far is in the journal.
    """
    model = RunModel(run, key, PURPOSE)
    found: list[ClassifiedUnit] = []
    for document, group in groupby(units, key=lambda unit: unit.document):
        of_document = list(group)
        passed = []
        for unit in of_document:
            passed.append(await _verdict_on(run, unit, material, model))
            if len(passed) % TOLD_EVERY == 0:
                _tell(run, document, unit.page, len(found) + len(passed), len(units))
        opened = material.opened[document]
        stored_key = f"{key}:{len(found)}"
        found += await store(run.services, state.job_id, state.phase.number, opened, of_document, passed, stored_key)
    return found


async def _verdict_on(run: AgentRun, unit: Unit, material: Material, model: RunModel) -> ClassifiedUnit:
    language = material.languages[unit.document]
    if not material.scope.has(unit):
        return verdict(unit, "outside the order", "order")
    by_code = decided(unit, language)
    if by_code is not None:
        return by_code
    answer = await asked(unit, language, model, run.toolbox.prompts)
    if isinstance(answer, str):
        return verdict(unit, "not read", "model", remark=answer)
    rules = rules_on(unit, language)
    if answer.kind == "demand":
        return verdict(unit, "requirement", "model", nature=rules.nature if rules is not None else "obligation")
    strong = rules is not None and rules.confidence >= STRONG
    return verdict(unit, "no requirement", "model", remark=RULES_DISAGREE if strong else "")


def _tell(run: AgentRun, document: str, page: int, done: int, total: int) -> None:
    message = f"{document}, p. {page}: {done} of {total} read"
    run.sink(run.state.run_id, "progress", {"call_id": run.key, "message": message})
