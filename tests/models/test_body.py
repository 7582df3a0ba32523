"""Each message is serialised once, and the pieces make the same JSON as the whole would."""

import json
from dataclasses import replace

from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.body import NativeForm, SchemaSteps, settings_of
from loopwright.models.composing import RULES
from loopwright.models.settings import Capabilities
from tests.models.conftest import LOOKUP

NATIVE = NativeForm(RULES["openai"])


def request_body(request: ModelRequest, can: Capabilities = Capabilities(), *, stream: bool = False) -> bytes:  # noqa: B008
    return NATIVE.body(request.messages, request.tools, settings_of(request, "m", can, stream=stream)).json


def test_messages_are_serialised_once(monkeypatch):
    made: list[Message] = []
    real = Message.to_dict
    monkeypatch.setattr(Message, "to_dict", lambda self: made.append(self) or real(self))
    messages = [Message.system("s")]
    for step in range(20):
        messages.append(Message.user(f"message {step}") if step % 2 == 0 else Message.assistant("answer"))
        request_body(ModelRequest(list(messages), LOOKUP))
    assert len(made) <= len(messages) + 10, "each once, and what is added behind an assistant's last word"


def test_schema_steps_serialise_once_as_well(monkeypatch):
    steps = SchemaSteps(PromptRepository({"models": "loopwright.models"}), RULES["unknown"])
    made: list[Message] = []
    real = Message.to_dict
    monkeypatch.setattr(Message, "to_dict", lambda self: made.append(self) or real(self))
    messages = [Message.system("s")]
    for step in range(20):
        messages.append(Message.tool("c", f"result {step}") if step % 2 == 0 else Message.assistant("answer"))
        steps.body(list(messages), LOOKUP, {"model": "m"})
    assert len(made) <= len(messages) + 10


def test_a_body_without_messages_is_still_json():
    body = json.loads(request_body(ModelRequest([]), stream=True))
    assert [message["role"] for message in body["messages"]] == ["user"], "no endpoint takes a request without a word"
    assert body["stream"] is True


def test_an_endpoint_that_counts_unasked_is_not_asked():
    body = json.loads(request_body(ModelRequest([]), Capabilities(stream_usage=False), stream=True))
    assert "stream_options" not in body


def test_a_grammar_goes_only_to_models_that_need_one() -> None:
    request = ModelRequest([Message.user("Hi")], grammar={"type": "array"})
    free, held = (settings_of(request, "m", Capabilities(tools=tools), stream=False) for tools in ("native", "schema"))
    assert "response_format" not in free
    assert held["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": {"type": "array"}},
    }
    own = replace(request, response_format={"type": "json_object"})
    assert settings_of(own, "m", Capabilities(tools="schema"), stream=False)["response_format"] == {
        "type": "json_object"
    }
