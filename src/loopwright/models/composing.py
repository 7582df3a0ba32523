"""The one place where messages become a request that an endpoint takes: roles, calls and their results in order.

The kernel tells what was said, in the order in which it was; here it is put so that no endpoint refuses it: one system
message first, then a user's, neighbours of one role joined, every call answered exactly once and at once, no message
without content, the last one never the assistant's. What is added is as little as the rules of the endpoint ask for.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal

from pydantic_core import to_json

from loopwright.kernel.messages import Fleeting, Message, Opaque, ToolCall
from loopwright.kernel.prompts import split_task
from loopwright.models.identity_cache import IdentityCache

# What each endpoint accepts in a request, as data: a new one is a row here, never a class.

LENGTHS: Final = frozenset({"minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"})


@dataclass(frozen=True)
class WireRules:
    """One endpoint. The names are journalled with each request, so that it can be written again: never rename one.

    `answers` says how a structured answer can be asked for, `beside_tools` whether in a request that offers tools too;
    `strict` whether it takes OpenAI's word for it, `shows_schema` whether the model gets to read it there. `without`
    are keywords that no schema may have. `must_call` and `no_call` say whether a choice of tools is heard that demands
    a call, or forbids it. With `bridge` an assistant's words stand between results and a user's message; `short_ids`
    are nine letters and digits; `one_call` puts each call into an answer of its own; `bare_calls` leave out the text
    where there is none. `returns` names the opaque fields that the endpoint wants to have back; with `signed` it
    refuses calls that lack them, as those of another model do. With `object_root` a schema must describe an object;
    with `system_as_user` there is no system's role. `wants_task` says that it may be our offline model, which goes by
    the name of what is asked for. What is not `composed` goes out as the kernel tells it, as earlier versions sent
    everything.
    """

    name: str
    answers: Literal["json_schema", "json_object", "none"] = "json_schema"
    beside_tools: bool = False
    strict: bool = False
    shows_schema: bool = False
    without: frozenset[str] = frozenset()
    must_call: bool = False
    no_call: bool = False
    bridge: bool = False
    short_ids: bool = False
    one_call: bool = False
    bare_calls: bool = False
    returns: frozenset[str] = frozenset()
    signed: bool = False
    object_root: bool = False
    system_as_user: bool = False
    wants_task: bool = False
    composed: bool = True


_ROWS: Final = (
    WireRules(
        "openai",
        beside_tools=True,
        strict=True,
        shows_schema=True,
        without=LENGTHS,
        must_call=True,
        no_call=True,
        object_root=True,
    ),
    WireRules("anthropic", answers="none", must_call=True, no_call=True, bare_calls=True),
    WireRules(
        "gemini",
        shows_schema=True,
        without=LENGTHS | {"$schema", "const", "examples", "additionalProperties", "propertyNames"},
        returns=frozenset({"extra_content", "thought_signature"}),
    ),
    WireRules(
        "mistral",
        shows_schema=True,
        without=LENGTHS,
        must_call=True,
        no_call=True,
        bridge=True,
        short_ids=True,
    ),
    WireRules("deepseek", answers="json_object", returns=frozenset({"reasoning_content"})),
    WireRules("groq", answers="json_object", must_call=True, no_call=True),
    WireRules(
        "openrouter",
        beside_tools=True,
        shows_schema=True,
        without=LENGTHS,
        must_call=True,
        no_call=True,
        returns=frozenset({"reasoning", "reasoning_details", "extra_content"}),
    ),
    WireRules("vllm", must_call=True, no_call=True, one_call=True),
    WireRules("llamacpp", must_call=True, no_call=True, one_call=True),
    WireRules("ollama", one_call=True),
    WireRules("lmstudio", must_call=True, no_call=True, one_call=True),
    WireRules("offline", beside_tools=True, shows_schema=True, must_call=True, no_call=True, wants_task=True),
    WireRules("unknown", one_call=True, wants_task=True),
    WireRules("", composed=False),
)

_LOCAL: Final = ("vllm", "llamacpp", "ollama", "lmstudio", "unknown")


@dataclass(frozen=True)
class Family:
    """What models with such a name ask for besides, at the endpoints with these rows."""

    name: str
    models: re.Pattern[str]
    rows: tuple[str, ...]
    more: Mapping[str, Any]


FAMILIES: Final = tuple(
    Family(name, re.compile(pattern, re.IGNORECASE), rows, more)
    for name, pattern, rows, more in (
        # A server of one's own leaves the order of messages to the model's chat template.
        (
            "mistral",
            r"mi[sx]tral|codestral|devstral|magistral|pixtral",
            _LOCAL,
            {"bridge": True, "short_ids": True},
        ),
        # Gemma 1 and 2: "gemma-2-9b", "gemma2:2b"; and those that tell their size only, "gemma-7b", "codegemma:7b".
        (
            "gemma2",
            r"(?<![a-z0-9])(?:code|shield|recurrent)?gemma(?:[-_ ]?[12](?:\.\d+)?(?![\d.b])|(?=[-_]\d+b)|(?=:|$))",
            _LOCAL,
            {"system_as_user": True},
        ),
        ("signed", r"gemini-([3-9]|\d\d)", ("gemini",), {"signed": True}),
        ("signed", r"^(?!.*chat)", ("deepseek",), {"signed": True}),  # all but the one that never thinks
    )
)

RULES: Final[Mapping[str, WireRules]] = {row.name: row for row in _ROWS} | {
    f"{row.name}+{family.name}": replace(row, name=f"{row.name}+{family.name}", **family.more)
    for family in FAMILIES
    for row in _ROWS
    if row.name in family.rows
}

HOSTS: Final[Mapping[str, str]] = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gemini",
    "api.mistral.ai": "mistral",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "openrouter.ai": "openrouter",
    "offline.invalid": "offline",
}
"""Endpoints that are known by their host; what others are, one has to ask them."""


def rules_of(host: str, found: str = "", model: str = "") -> WireRules:
    """The rules of the endpoint at this host; `found` is what it was found to be, where somebody has asked it.

    What nobody knows gets only what every endpoint takes. What the `model`'s family asks for counts besides.
    """
    name = found if found and found in RULES else HOSTS.get(host, "unknown")
    family = next((each.name for each in FAMILIES if name in each.rows and each.models.search(model)), "")
    return RULES[f"{name}+{family}" if family else name]


def without_keywords(schema: Any, keywords: frozenset[str]) -> Any:
    """The schema without these keywords; properties of the same names stay, a `const` becomes an `enum` of one."""
    if not keywords:
        return schema
    if isinstance(schema, list):
        return [without_keywords(item, keywords) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs") and isinstance(value, Mapping):
            kept[key] = {name: without_keywords(each, keywords) for name, each in value.items()}
        elif key == "const" and key in keywords:
            kept |= {"type": "string", "enum": [value]} if isinstance(value, str) else {}
        elif key not in keywords:
            kept[key] = without_keywords(value, keywords) if key not in ("enum", "required") else value
    return kept


OPENING: Final = "(The conversation goes on from here.)"
GO_ON: Final = "Go on."
NO_RESULT: Final = "There is no result of this call."
EARLIER: Final = "Result of an earlier call"
NOTHING: Final = "(nothing)"
SEEN: Final = "I have the results."

_GO_ON: Final = Message.user(GO_ON)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

Render = Callable[[Message], Message]


class Fold:
    """A dialogue as it stands on the wire so far; it grows by messages, and what stands is never serialised again.

    `count` messages went into it; `seen` are those behind the first, which is what a `Composer` finds it by.
    """

    def __init__(self, rules: WireRules, endpoint: str) -> None:
        """Begin with nothing."""
        self.rules = rules
        self.endpoint = endpoint
        self.count = 0
        self.seen: list[Message] = []
        self.pieces: list[bytes] = []
        self.digests: list[bytes] = []
        self.last: Message | None = None
        self._opened = False
        self._pending: list[ToolCall] = []
        self._waiting: list[ToolCall] = []
        self._foreign: list[ToolCall] = []

    def copy(self) -> "Fold":
        """The same, to be ended."""
        other = Fold(self.rules, self.endpoint)
        other.pieces, other.digests, other.last = self.pieces[:], self.digests[:], self.last
        other._opened, other._foreign = self._opened, self._foreign[:]
        other._pending, other._waiting = self._pending[:], self._waiting[:]
        return other

    def add(self, message: Message) -> None:
        """Put a message behind the others."""
        if not self.rules.composed:
            self._put(message)
        elif message.role == "system" and not self._opened:
            self._system(message)
        elif message.role == "tool":
            self._result(message)
        elif message.role == "assistant":
            self._assistant(message)
        else:
            self._user(message)

    def end(self) -> None:
        """Leave no call without a result, and the last word to the user."""
        if not self.rules.composed:
            return
        self._settle()
        if self.last is None or self.last.role == "assistant" or not self._opened:
            self._user(_GO_ON)

    def _system(self, message: Message) -> None:
        text = split_task(message.content)[1]
        if not text.strip():
            return
        told = Message.user if self.rules.system_as_user else Message.system
        if self.last is not None:
            self._replace(told(_joined(self.last.content, text)))
        else:
            self._put(told(text))

    def _user(self, message: Message) -> None:
        if not message.content.strip() and not message.images:
            return
        self._settle()
        self._tell(message if message.content.strip() else Message.user("", message.images))

    def _tell(self, message: Message) -> None:
        self._opened = True
        last = self.last
        if last is not None and last.role == "user":
            images = (*last.images, *message.images)
            self._replace(Message.user(_joined(last.content, message.content), images))
        elif last is not None and last.role == "tool" and self.rules.bridge:
            if isinstance(message, Fleeting) and last.tool_call_id is not None:
                self._replace(Message.tool(last.tool_call_id, _joined(last.content, message.content)))
                return
            self._put(Message.assistant(SEEN))
            self._put(_as_user(message))
        else:
            self._put(_as_user(message))

    def _assistant(self, message: Message) -> None:
        if not message.content.strip() and not message.tool_calls:
            return
        self._settle()
        if not self._opened:
            self._user(Message.user(OPENING))
        if message.tool_calls and self.rules.signed and not self._signed(message):
            self._foreign = list(message.tool_calls)
            if not message.content.strip():
                return
            message = Message.assistant(message.content)
        first = message.tool_calls[:1] if self.rules.one_call else message.tool_calls
        self._waiting = list(message.tool_calls[len(first) :])
        self._pending = list(first)
        put = message if first == message.tool_calls else Message.assistant(message.content, first)
        if self.last is not None and self.last.role == "assistant":
            opaque = put.opaque or self.last.opaque
            self._replace(Message.assistant(_joined(self.last.content, put.content), put.tool_calls, opaque))
        else:
            self._put(put)

    def _result(self, message: Message) -> None:
        call = next((each for each in self._waiting if each.id == message.tool_call_id), None)
        if call is not None:  # its turn has come, in an answer of its own
            for earlier in self._pending:
                self._put(Message.tool(earlier.id, NO_RESULT))
            self._waiting.remove(call)
            self._pending = [call]
            self._put(Message.assistant("", [call]))
        foreign = next((each for each in self._foreign if each.id == message.tool_call_id), None)
        if foreign is not None:
            self._foreign.remove(foreign)
            self._tell(_told_call(foreign, message.content))
            return
        call = next((each for each in self._pending if each.id == message.tool_call_id), None)
        if call is None:
            self._user(Message.user(f"{EARLIER}:\n{message.content}"))
            return
        self._pending.remove(call)
        self._put(message if message.content.strip() else Message.tool(call.id, NOTHING))

    def _settle(self) -> None:
        """Answer the calls that nobody has answered: an endpoint refuses a dialogue with an open call."""
        for call in self._pending:
            self._put(Message.tool(call.id, NO_RESULT))
        for call in self._waiting:
            self._put(Message.assistant("", [call]))
            self._put(Message.tool(call.id, NO_RESULT))
        self._pending, self._waiting = [], []
        foreign, self._foreign = self._foreign, []
        for call in foreign:
            self._tell(_told_call(call, NO_RESULT))

    def _put(self, message: Message) -> None:
        wire = self._wire(message)
        self.digests.append(message.wire_digest if wire is message.wire else sha256(wire).digest())
        # The first message is what the fold is remembered by: holding it would keep both for ever.
        self.last = message if self.pieces else message.model_copy()
        self.pieces.append(wire)

    def _replace(self, message: Message) -> None:
        self.pieces.pop()
        self.digests.pop()
        self._put(message)

    def _wire(self, message: Message) -> bytes:
        rules = self.rules
        if not rules.composed or (message.role in ("system", "user")):
            return message.wire
        own = self._own(message)
        bare = rules.bare_calls and message.tool_calls and not message.content.strip()
        ids = [call.id for call in message.tool_calls]
        ids += [message.tool_call_id] if message.tool_call_id is not None else []
        sound = all(self._id(each) == each for each in ids) and all(_NAME.fullmatch(c.name) for c in message.tool_calls)
        if sound and not bare and (own is None or not rules.returns):
            return message.wire
        data = message.to_dict()
        if message.tool_call_id is not None:
            data["tool_call_id"] = self._id(message.tool_call_id)
        for call, told in zip(message.tool_calls, data.get("tool_calls") or (), strict=True):
            told["id"] = self._id(call.id)
            told["function"]["name"] = _name(call.name)
            extra = own.calls.get(call.id, {}) if own is not None else {}
            told |= {key: value for key, value in extra.items() if key in rules.returns}
        if own is not None:
            data |= {key: value for key, value in own.fields.items() if key in rules.returns}
        if bare:
            del data["content"]
        return to_json(data)

    def _own(self, message: Message) -> Opaque | None:
        """What this endpoint sent for itself with the message."""
        opaque = message.opaque
        return opaque if opaque is not None and opaque.endpoint == self.endpoint else None

    def _signed(self, message: Message) -> bool:
        """Whether it goes back with what the endpoint wants to have back, which signs the first of several calls."""
        own = self._own(message)
        signs = {*own.fields, *own.calls.get(message.tool_calls[0].id, ())} if own is not None else set()
        return not self.rules.returns.isdisjoint(signs)

    def _id(self, call_id: str) -> str:
        """The call's id as the endpoint takes it: the same for the same id, whoever asks."""
        if not self.rules.short_ids and _ID.fullmatch(call_id):
            return call_id
        number = int.from_bytes(sha256(call_id.encode()).digest()[:8])
        return "".join(_DIGITS[number // 62**place % 62] for place in range(9))


class Composer:
    """Composes requests for one endpoint, and remembers of each dialogue what it has composed before."""

    def __init__(self, rules: WireRules, endpoint: str = "", render: Render | None = None) -> None:
        """`render` changes each message first, in forms that know no tool calls."""
        self.rules = rules
        self._render = IdentityCache(render) if render is not None else None
        self._folds: IdentityCache[Message, Fold] = IdentityCache(lambda _: Fold(rules, endpoint))
        self._endpoint = endpoint

    def compose(self, messages: Sequence[Message], told: str = "") -> tuple[list[bytes], list[bytes]]:
        """The messages as JSON, and the digests of each; `told` is said last, in the user's place."""
        given = list(messages)
        fold = self._begun(given)
        for message in given[fold.count : -1]:
            fold.add(self._rendered(message))
            if fold.count:
                fold.seen.append(message)
            fold.count += 1
        whole = fold.copy()
        for message in given[fold.count :]:
            whole.add(self._rendered(message))
        if told:
            whole.add(Fleeting.user(told))
        whole.end()
        return whole.pieces, whole.digests

    def _begun(self, messages: list[Message]) -> Fold:
        """The fold of as much of this dialogue as was composed before; its last message is never part of it."""
        if not messages:
            return Fold(self.rules, self._endpoint)
        fold = self._folds.get(messages[0])
        if fold.count < len(messages) and messages[1 : fold.count] == fold.seen:
            return fold
        self._folds.forget(messages[0])
        return self._folds.get(messages[0])

    def _rendered(self, message: Message) -> Message:
        return self._render.get(message) if self._render is not None else message


def _as_user(message: Message) -> Message:
    return message if message.role == "user" else Message.user(message.content)


def _told_call(call: ToolCall, result: str) -> Message:
    """A call that cannot be told as one, in the user's words: what the model finds in its own it would imitate."""
    return Message.user(f"{EARLIER}, {call.name} {call.sendable_arguments}:\n{result.strip() or NOTHING}")


def _joined(first: str, second: str) -> str:
    return f"{first}\n\n{second}" if first and second else first or second


def _name(name: str) -> str:
    """A tool's name as endpoints take it: a model may have made one up that they would refuse to read again."""
    if _NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"_{name}")[:64]
