"""Tiny calls that show what works at an endpoint: what agents need, in the forms in which they ask for it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic_core import from_json, to_json

from loopwright.kernel.errors import ModelError
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message, ToolCall, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.answer import Answer
from loopwright.models.client import OpenAIClient
from loopwright.models.discovery.endpoint import Proof
from loopwright.models.exchange import Exchange
from loopwright.models.retry import Clock, until_answered

Form = Literal["native", "schema"]
ANSWER_TOKENS: Final = 1_000
"""Tokens for models that think before they answer; others need a tenth of it."""
REQUIRED_SECONDS: Final = 300.0
RED_DOT: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP8z0AaYGIY1TCqYdhqAABALgEf"
    "zNK8AAAAAElFTkSuQmCC"
)
LOOK_UP: Final = ToolSchemas(
    (
        {
            "type": "function",
            "function": {
                "name": "look_up",
                "description": "Look up the value of a key in the register.",
                "parameters": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}},
                    "required": ["key"],
                    "additionalProperties": False,
                },
            },
        },
    )
)
SHORT_TOKENS: Final = 200
"""Where a model that is not held would go on and on."""
COLOURS: Final = ("ultramarine", "vermilion")
FORMAT: Final = {
    "type": "json_schema",
    "json_schema": {
        "name": "colour",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"colour": {"type": "string", "enum": list(COLOURS)}},
            "required": ["colour"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True)
class Finding:
    """What one check came to. Agents cannot run where a `needed` one does not work; `advice` says what to do then."""

    name: str
    works: bool
    told: str
    needed: bool = True
    advice: str = ""
    seconds: float = 0.0


@dataclass
class Proving:
    """Asks one model; what was found is in `findings`, in order, and told to `show` as it comes."""

    client_in: Callable[[Form], OpenAIClient]
    """A client that asks in this form, whatever it knows."""
    exchange: Exchange
    """Sends what no client would send."""
    model: str
    forms: tuple[Form, ...]
    """The forms of tool calls to try, the better one first."""
    begin: Callable[[str], None]
    show: Callable[[Finding], None]
    findings: list[Finding] = field(default_factory=list)

    async def prove(self, *, vision: bool | None) -> Proof:
        """Make the calls; `vision` is what the endpoint says of images, and is asked for where it says nothing."""
        await self._check("plain answer", self._plain())
        if not self.findings[0].works:
            return self._proof(None, vision)
        form = await self._tools()
        await self._check("answer by a JSON schema", self._schema())
        await self._check("dialogue with a tool's result", self._transcript(form or self.forms[0]))
        await self._check("cut answer says so", self._length())
        await self._check("call on demand", self._required())
        if vision is None:
            await self._check("image", self._image())
            vision = self.findings[-1].works
        return self._proof(form, vision)

    def _proof(self, form: Form | None, vision: bool | None) -> Proof:
        works = {finding.name: finding.works for finding in self.findings}
        return Proof(
            at=datetime.now(UTC),
            tools=form,
            native_tools=works.get("tool call (native)", False),
            json_schema=works.get("answer by a JSON schema", False),
            tool_choice_required=works.get("call on demand", False),
            tells_length=works.get("cut answer says so", False),
            transcript=works.get("dialogue with a tool's result", False),
            vision=vision,
        )

    async def _check(self, name: str, finding: Awaitable[Finding]) -> None:
        self.begin(name)
        started = time.monotonic()
        try:
            found = await finding
        except ModelError as error:
            needed = name not in OPTIONAL
            found = Finding(name, False, error.message, needed, error.hint)
        found = replace(found, name=name, seconds=time.monotonic() - started)
        self.findings.append(found)
        self.show(found)

    async def _ask(self, form: Form, request: ModelRequest) -> ModelResponse:
        return await self.client_in(form).complete(replace(request, model=self.model), lambda piece: None)

    async def _plain(self) -> Finding:
        request = ModelRequest(
            [
                Message.system("You are a careful assistant. You answer in plain words, without any formatting."),
                Message.user(
                    "This is a test of the connection between a program and a language model. Please write the numbers "
                    "from one to twenty as English words, in order, separated by commas, on one line, and nothing else."
                ),
            ],
            max_tokens=ANSWER_TOKENS,
        )
        response = await self._ask("native", request)
        text = " ".join(response.text.split())
        return Finding("", bool(text), text[:60] or "an empty answer came", advice="Try another model.")

    async def _tools(self) -> Form | None:
        for form in self.forms:
            await self._check(f"tool call ({form})", self._call(form))
            if self.findings[-1].works:
                # What failed before does not matter any more: the other form is used.
                self.findings = [replace(each, needed=False) if each.name in FORMS else each for each in self.findings]
                return form
        return None

    async def _call(self, form: Form) -> Finding:
        messages = [
            Message.system("You answer with the help of tools."),
            Message.user("Use look_up to find the value of the key alpha."),
        ]
        # Steps are proved where agents demand a call: whether the schema holds, and not what the model prefers.
        request = ModelRequest(messages, LOOK_UP, max_tokens=ANSWER_TOKENS, may_answer=form == "native")
        response = await self._ask(form, request)
        for call in response.tool_calls:
            arguments = _object(call.arguments)
            if call.name == "look_up" and set(arguments) == {"key"}:
                return Finding("", True, f"look_up(key={str(arguments['key'])[:20]!r})")
        told = f"text came instead of a call: {response.text[:60]!r}" if response.text else "no call came"
        return Finding("", False, told, advice="No form of tool calls works here: try another model.")

    async def _schema(self) -> Finding:
        # Neither JSON nor these colours are in the prompt: only a schema that is enforced brings them about.
        request = ModelRequest(
            [Message.user("Which colour has the sky?")], response_format=FORMAT, max_tokens=ANSWER_TOKENS
        )
        response = await self._ask("native", request)
        if _object(response.text).get("colour") in COLOURS:
            return Finding("", True, "enforced", needed=False)
        return Finding("", False, f"not enforced: {response.text[:60]!r}", needed=False)

    async def _transcript(self, form: Form) -> Finding:
        call = ToolCall(id="call00001", name="look_up", arguments='{"key": "alpha"}')
        messages = [
            Message.system("You answer with the help of tools."),
            Message.user("What is the value of the key alpha?"),
            Message.assistant("", [call]),
            Message.tool(call.id, "alpha = 4711"),
            Message.assistant("The value is 4711."),
            Message.user("Say the value again, in digits."),
        ]
        response = await self._ask(form, ModelRequest(messages, LOOK_UP, max_tokens=ANSWER_TOKENS))
        if not response.text and not response.tool_calls:
            return Finding("", False, "an empty answer came", advice="Try another model, or MODEL_TOOLS=schema.")
        read = "4711" in response.text
        return Finding("", True, "taken, and read" if read else "taken, but the result was not read: a weak model")

    async def _length(self) -> Finding:
        request = ModelRequest([Message.user("Write the numbers from 1 to 300, separated by commas.")], max_tokens=16)
        response = await self._ask("native", request)
        if response.finish_reason == "length":
            return Finding("", True, "finish_reason is length")
        return Finding(
            "",
            False,
            f"finish_reason is {response.finish_reason[:20]!r} after {response.usage.completion_tokens} tokens",
            advice="A cut answer would be taken for a whole one. Use a server that says so.",
        )

    async def _required(self) -> Finding:
        fields = {"model": self.model, "max_tokens": SHORT_TOKENS, "tool_choice": "required"}
        messages = [Message.user("Good morning!").to_dict()]
        body = to_json({"messages": messages, "tools": list(LOOK_UP.schemas), **fields})

        async def attempt(seconds: float, late: int) -> Answer:
            return await self.exchange.attempt(body, self.model, None, seconds, seconds)

        settings = replace(self.client_in("native").settings, attempts=2)
        answer = await until_answered(attempt, self.model, settings, Clock(), REQUIRED_SECONDS)
        works = any(call.name == "look_up" for call in answer.tool_calls)
        return Finding("", works, "tool_choice is obeyed" if works else "tool_choice is not obeyed", needed=False)

    async def _image(self) -> Finding:
        request = ModelRequest([Message.user("Which colour is this? One word.", [RED_DOT])], max_tokens=ANSWER_TOKENS)
        response = await self._ask("native", request)
        seen = "red" in response.text.lower()
        return Finding("", seen, response.text[:40] or "an empty answer came", needed=False)


FORMS: Final = frozenset({"tool call (native)", "tool call (schema)"})
OPTIONAL: Final = frozenset({"answer by a JSON schema", "call on demand", "image"})


def _object(text: str) -> Mapping[str, Any]:
    try:
        data = from_json(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
