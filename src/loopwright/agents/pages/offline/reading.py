"""What the playbook sees of a request: the project's state, what the user wants, and what was done about it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from loopwright.agents.pages.guard import BROKEN_LINKS, BROKEN_PROMISES, NO_PRODUCT_DOC, NOTHING_BUILT
from loopwright.kernel.messages import Message, split_blocks

STATE_BLOCK = re.compile(r"^```project-state\s*\n(.*?)\n```", re.DOTALL | re.MULTILINE)
UPLOAD = re.compile(r"\buploads/[A-Za-z0-9._-]*[A-Za-z0-9_-]")
LISTED_UPLOAD = re.compile(r'"(uploads/[^"]+)"')
"""An upload in the options that the system message shows."""

MENTION = re.compile(r"(?<![\w@])@([a-z0-9][a-z0-9-]{0,39})", re.IGNORECASE)
ATTEMPTS = 2
"""How often one thing is tried before the user is told that it does not work."""

LOOKS = ("list_pages", "read_page")
"""The tools with which a second attempt begins: it looks at what is there first, and is known by that even when
compaction has taken the first attempt away."""

CONTROLLER = (
    NOTHING_BUILT,
    BROKEN_LINKS,
    BROKEN_PROMISES,
    NO_PRODUCT_DOC,
    "Your answer was ",
    "Your product-doc block ",
)
"""How the controller's messages begin; they come in the user's role when an answer does not end the run."""

FAILURE = "Error:"
"""How the output of a failed tool call begins (`ToolResult.failure`)."""


class UnreadableRequest(ValueError):
    """The request lacks what every prompt of the pages agent carries."""


class PageEntry(BaseModel):
    """A page as the project's state names it."""

    model_config = ConfigDict(frozen=True)

    slug: str
    title: str


class ProjectState(BaseModel):
    """The fenced `project-state` block of the stage's message: a snapshot of the moment the prompt was made."""

    model_config = ConfigDict(frozen=True)

    pages: tuple[PageEntry, ...] = ()
    planned_pages: tuple[PageEntry, ...] = ()
    product_type: str | None = None
    app_name: str | None = None
    design_system: bool = False
    product_doc_sections: tuple[str, ...] = ()
    generate_now: bool = False
    interview: bool | None = None
    target_pages: tuple[str, ...] = ()

    @classmethod
    def read(cls, system: str) -> "ProjectState":
        """The state out of a system message.

        Raises:
            UnreadableRequest: there is no such block, or it is not the agreed JSON.
        """
        blocks = STATE_BLOCK.findall(system)
        if not blocks:
            raise UnreadableRequest("the stage's message has no project-state block")
        try:
            return cls.model_validate_json(blocks[-1])  # whatever a product doc holds stands before the real one
        except ValidationError as error:
            raise UnreadableRequest(f"the project-state block cannot be read: {error.errors()[0]['msg']}") from error


@dataclass(frozen=True, slots=True)
class Done:
    """A tool call of this run with its result."""

    name: str
    arguments: Mapping[str, Any]
    output: str
    step: int
    """Which of the run's model answers made the call, counted from 0."""

    @property
    def failed(self) -> bool:
        """Whether the tool said that it could not do it."""
        return self.output.startswith(FAILURE)

    @property
    def slug(self) -> str:
        """The page that the call was about, or the empty text."""
        value = self.arguments.get("slug", "")
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A request of the main loop, read.

    `message` is what the user asked for in this run; `earlier` are the user's messages before it, oldest first; `done`
    are this run's calls that are still in the dialogue (compaction may have taken the first ones away).
    """

    state: ProjectState
    system: str
    message: str
    images: tuple[str, ...]
    earlier: tuple[str, ...]
    done: tuple[Done, ...]

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "Reading":
        """Read the messages of a request.

        Earlier runs are seeded as plain text, so calls belong to this run, and the newest user message before the
        first of them is the message: later ones are the controller's.

        Raises:
            UnreadableRequest: no project-state block, or no user message.
        """
        system, dialogue = _parted(messages)
        first_call = next((i for i, message in enumerate(dialogue) if message.tool_calls), len(dialogue))
        said = [(i, m) for i, m in enumerate(dialogue) if m.role == "user" and not m.content.startswith(CONTROLLER)]
        users = [message for i, message in said if i < first_call] or [message for _, message in said[:1]]
        if not users:
            raise UnreadableRequest("there is no user message")
        return cls(
            state=ProjectState.read(system),
            system=system,
            message=users[-1].content.strip(),
            images=_images(system, users[-1]),
            earlier=tuple(message.content.strip() for message in users[:-1]),
            done=_calls(dialogue),
        )

    def calls_of(self, name: str, slug: str | None = None) -> list[Done]:
        """This run's calls of a tool, oldest first; about one page when a slug is given."""
        return [call for call in self.done if call.name == name and (slug is None or call.slug == slug)]

    def succeeded(self, name: str, slug: str | None = None) -> Done | None:
        """The newest call of a tool that worked."""
        return next((call for call in reversed(self.calls_of(name, slug)) if not call.failed), None)

    def spent(self, name: str, slug: str | None = None) -> bool:
        """Whether the attempts at a thing are used up: there were two, or the newest was the second."""
        calls = self.calls_of(name, slug)
        looked = {call.step for call in self.done if call.name in LOOKS}
        return len(calls) >= ATTEMPTS or any(call.step in looked for call in calls)

    @property
    def slugs(self) -> tuple[str, ...]:
        """The pages that exist now: those of the state, then those this run has made since."""
        known = [page.slug for page in self.state.pages]
        made = [call.slug for call in self.calls_of("generate_page") if not call.failed]
        return tuple(dict.fromkeys([*known, *made]))

    @property
    def targets(self) -> tuple[str, ...]:
        """The pages that the user pointed at: the run's option first, then `@slug` in the message; only real ones."""
        named = [*self.state.target_pages, *(slug.lower() for slug in MENTION.findall(self.message))]
        return tuple(slug for slug in dict.fromkeys(named) if slug in self.slugs)

    @property
    def answers(self) -> dict[str, str | list[str]] | None:
        """What the user answered in this run by question text; None when nothing was asked."""
        asked = self.calls_of("ask_user")
        if not asked:
            return None
        merged: dict[str, str | list[str]] = {}
        for call in asked:
            merged |= read_answers(call.output)
        return merged

    @property
    def assumed(self) -> dict[str, str | list[str]]:
        """The defaults of the questions that the user left open."""
        answers = self.answers or {}
        asked = [item for call in self.calls_of("ask_user") for item in call.arguments.get("questions", ())]
        return {
            item["question"]: item["default"]
            for item in asked
            if item.get("default") and item["question"] not in answers
        }


def _parted(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """What the controller tells (system message and stages), and the dialogue with the user's own words."""
    told, dialogue = [], []
    for message in messages:
        if message.role == "system":
            told.append(message.content)
            continue
        words, blocks = split_blocks(message.content) if message.role == "user" else (message.content, {})
        told += [blocks["stage"]] if "stage" in blocks else []
        if words or not blocks:
            dialogue.append(message.model_copy(update={"content": words}) if blocks else message)
    return "\n\n".join(told), dialogue


def _images(system: str, message: Message) -> tuple[str, ...]:
    """The user's images: uploads by their path where it is told, else what came with the message itself."""
    uploads = UPLOAD.findall(message.content) or LISTED_UPLOAD.findall(system)
    return tuple(dict.fromkeys(uploads or message.images))[:3]


def _calls(dialogue: Sequence[Message]) -> tuple[Done, ...]:
    results = {message.tool_call_id: message.content for message in dialogue if message.role == "tool"}
    answers = [message for message in dialogue if message.tool_calls]
    return tuple(
        Done(call.name, _arguments(call.arguments), results[call.id], step)
        for step, message in enumerate(answers)
        for call in message.tool_calls
        if call.id in results
    )


def _arguments(raw: str) -> dict[str, Any]:
    found = find_json(raw)
    return found if isinstance(found, dict) else {}


def find_json(text: str) -> Any:
    """The first JSON object that stands in a text, or None.

    Tools tell people and models the same thing in one output, so the object may stand between words.
    """
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            return decoder.raw_decode(text, start)[0]
        except ValueError:
            start = text.find("{", start + 1)
    return None


def read_answers(output: str) -> dict[str, str | list[str]]:
    """The answers in the output of `ask_user`, by question text; skipped and empty ones are left out."""
    found = find_json(output)
    answers = found.get("answers", found) if isinstance(found, dict) else {}
    if isinstance(answers, list):
        answers = {item["question"]: item.get("answer") for item in answers if isinstance(item, dict)}
    kept: dict[str, str | list[str]] = {}
    for question, answer in answers.items() if isinstance(answers, dict) else ():
        if isinstance(answer, str) and answer.strip():
            kept[question] = answer.strip()
        elif isinstance(answer, list) and any(isinstance(each, str) and each.strip() for each in answer):
            kept[question] = [each.strip() for each in answer if isinstance(each, str) and each.strip()]
    return kept
