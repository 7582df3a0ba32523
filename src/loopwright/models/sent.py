"""Requests that were sent: told of in a few words, and written again from them."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic_core import from_json, to_json

from loopwright.kernel.events import SentRequest
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.body import Body, native_body
from loopwright.models.schema_steps import SchemaSteps


def sent_as(form: Literal["native", "schema"], settings: Mapping[str, Any], body: Body) -> SentRequest:
    """What the journal keeps of a request besides its messages and tools."""
    return SentRequest(form=form, settings=to_json(settings).decode(), digest=body.digest)


def body_of(messages: Sequence[Message], tools: str, sent: SentRequest, prompts: PromptRepository) -> Body:
    """The body that was sent, if its digest is the one that was kept.

    Args:
        messages: what the model was told.
        tools: the JSON array of the tools that were offered.
        sent: what the journal keeps of the request.
        prompts: those of this package; the form of schema-constrained steps says with them how to answer, so they must
            be the ones that were in force.
    """
    schemas, settings = ToolSchemas(tuple(from_json(tools))), from_json(sent.settings)
    write = SchemaSteps(prompts).body if sent.form == "schema" else native_body
    return write(messages, schemas, settings)
