"""Talks to the offline model as the controller does: prompts with a context pack, patches applied one after another."""

import copy
import json
from typing import Any

import jsonpatch
import jsonpointer

from loopwright.agents.designspec.contracts import DesignSpecDirective
from loopwright.agents.designspec.document.checking import check_document, minimal_document
from loopwright.agents.designspec.offline import PLAYBOOK
from loopwright.agents.designspec.patches import invert_patch
from loopwright.kernel.messages import Message, told_messages
from loopwright.kernel.offline import OfflineRequest


class Dialogue:
    """A project and the conversation about it; every patch is approved."""

    def __init__(self, *intents: str, document: dict[str, Any] | None = None, last_run: Any = None) -> None:
        self.document = copy.deepcopy(document) if document is not None else minimal_document("chip")
        self.messages: list[Message] = []
        self.history: list[dict[str, Any]] = []
        self.last_run = last_run
        for intent in intents:
            self.say(intent)

    def ask(self, text: str, task: str = "designspec/turn_expanded") -> DesignSpecDirective:
        """The directive that answers a message; nothing is applied."""
        self.messages.append(Message(role="user", content=text))
        reply = PLAYBOOK.answer(OfflineRequest(task=task, messages=told_messages(self.messages, self.state())))
        self.messages.append(Message(role="assistant", content=reply.text))
        return DesignSpecDirective.model_validate_json(reply.text)

    def say(self, text: str) -> DesignSpecDirective:
        """Ask, then apply what is proposed; the document must be no worse than before."""
        directive = self.ask(text)
        for patch in directive.proposed_patches:
            operations = patch.as_json()
            known = {(issue.code, issue.pointer) for issue in check_document(self.document).errors}
            inverse = invert_patch(self.document, operations)
            self.document = jsonpatch.apply_patch(self.document, operations)
            worse = [
                issue for issue in check_document(self.document).errors if (issue.code, issue.pointer) not in known
            ]
            assert not worse, worse
            entry = {"author": "llm", "at": f"2026-01-01T00:00:{len(self.history):02d}", "summary": patch.title}
            self.history.append(entry | {"inverse": inverse})
        return directive

    def state(self) -> str:
        """What is told last in a request, as the contract has it."""
        pack = {
            "spec": self.document,
            "issues": [issue.model_dump(mode="json") for issue in check_document(self.document).issues],
            "last_run": self.last_run,
            "history": self.history[-5:],
            "mode": "full",
        }
        return f"The pack:\n<context_pack>\n{json.dumps(pack)}\n</context_pack>"

    def at(self, pointer: str) -> Any:
        """The document's value at a JSON Pointer."""
        return jsonpointer.resolve_pointer(self.document, pointer)


def operations_of(directive: DesignSpecDirective) -> list[dict[str, Any]]:
    """All operations of a directive."""
    return [operation for patch in directive.proposed_patches for operation in patch.as_json()]


def tree(**told: Any) -> Dialogue:
    """A cube with a small tree in it."""
    return Dialogue("box 20x20x20 mm", "grow a tree with 16 tips", **told)
