"""Requests that were sent: told of in a few words, and written again from them."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic_core import from_json, to_json

from loopwright.kernel.events import SentRequest
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.body import Body, NativeForm
from loopwright.models.composing import RULES, WireRules
from loopwright.models.schema_steps import SchemaSteps, told_type

Form = Literal["native", "schema"]


class Writer:
    """Writes requests for one endpoint, in either form."""

    def __init__(self, prompts: PromptRepository, rules: WireRules, endpoint: str) -> None:
        """Remember nothing yet; `endpoint` is the host."""
        self.rules = rules
        self.endpoint = endpoint
        self._forms: dict[str, NativeForm | SchemaSteps] = {
            "native": NativeForm(rules, endpoint),
            "schema": SchemaSteps(prompts, rules, endpoint),
        }

    def write(self, request: ModelRequest, form: Form, settings: Mapping[str, Any]) -> tuple[Body, SentRequest]:
        """The body, and what the journal keeps of it besides messages and tools."""
        told = told_form(request, form, settings, self.rules)
        held = request.callable_now
        body = self._forms[form].body(request.messages, request.tools, settings, request.may_answer, told, held)
        sent = SentRequest(
            form=form,
            settings=to_json(settings).decode(),
            digest=body.digest,
            may_answer=request.may_answer,
            callable_now=None if held is None else sorted(held),
            rules=self.rules.name,
            endpoint=self.endpoint,
            told=told,
        )
        return body, sent

    def again(self, messages: Sequence[Message], tools: str, sent: SentRequest) -> Body:
        """A body that was written before."""
        settings, schemas = from_json(sent.settings), ToolSchemas(tuple(from_json(tools)))
        held = None if sent.callable_now is None else frozenset(sent.callable_now)
        return self._forms[sent.form].body(messages, schemas, settings, sent.may_answer, sent.told, held)


def told_form(request: ModelRequest, form: Form, settings: Mapping[str, Any], rules: WireRules) -> str:
    """What the model is told of the form of its answer, where it does not get to read the schema itself."""
    schema = (request.response_format or {}).get("json_schema", {}).get("schema")
    if schema is None or not request.may_answer:
        return ""
    shape = told_type(schema)
    if form == "schema" and len(request.tools):
        return f'To answer: {{"answer": {shape}}}'
    held = settings.get("response_format", {}).get("type") == "json_schema"
    if held and (rules.shows_schema or request.fields_told):
        return ""
    return f"{'To answer without a tool call' if len(request.tools) else 'Answer with'}: one JSON object {shape}"


def body_of(messages: Sequence[Message], tools: str, sent: SentRequest, prompts: PromptRepository) -> Body:
    """The body that was sent, if its digest is the one that was kept.

    Args:
        messages: what the model was told.
        tools: the JSON array of the tools that were offered.
        sent: what the journal keeps of the request.
        prompts: those of this package; the form of schema-constrained steps says with them how to answer, so they must
            be the ones that were in force.
    """
    return Writer(prompts, RULES[sent.rules], sent.endpoint).again(messages, tools, sent)
