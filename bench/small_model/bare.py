"""The bare loop for comparison: a short prompt, a few tiny tools, one schema-constrained step after another, no more.

Nothing of the product is used. What the tools make is judged by the same judges; `finish` is taken as the word that the
job is done, `ask` as a question that the user has to answer.
"""

import json
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.small_model import bare_files, bare_plan, bare_solid, bare_texts
from bench.small_model.outcome import Ended, Outcome

STEPS = 14


class Bench(Protocol):
    """What an agent's tools work on: `prompt`, `tools` (name → JSON schema of the arguments), and what they do."""

    prompt: str
    tools: dict[str, dict[str, Any]]
    most_tokens: int

    def first(self, message: str) -> str:
        """The user's message, with what the model has to see."""

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Do it; what came of it, in words."""

    def outcome(self) -> dict[str, Any]:
        """The arguments of the `Outcome` beside how it ended."""


@dataclass
class Bare:
    """The loop; `endpoint` ends in /v1."""

    endpoint: str
    data: Path | None = None

    def run(self, agent: str, case: dict[str, Any], place: Path) -> Outcome:
        """Run all messages of a case."""
        bench = _BENCHES[agent](case, place, self.data)
        messages = [{"role": "system", "content": bench.prompt}]
        ended: Ended = "failed"
        questions: list[str] = []
        for message in case["messages"]:
            messages.append({"role": "user", "content": bench.first(message)})
            ended = self._turn(bench, messages, questions)
            if ended != "complete":
                break
        left: dict[str, Any] = {"folder": place, "questions": tuple(questions)}
        return Outcome(ended, **(left | bench.outcome()))

    def _turn(self, bench: Bench, messages: list[dict[str, str]], questions: list[str]) -> Ended:
        for _ in range(STEPS):
            text = self._answer(bench, messages)
            try:
                step = json.loads(text)
            except ValueError:
                return "failed"
            messages.append({"role": "assistant", "content": text})
            if step["tool"] == "ask":
                questions.append(step["arguments"]["question"])
                return "waiting"
            said = bench.use(step["tool"], step["arguments"])
            if step["tool"] in ("finish", *_LAST):
                return "complete"
            messages.append({"role": "user", "content": f"Result: {said}"})
        return "failed"

    def _answer(self, bench: Bench, messages: list[dict[str, str]]) -> str:
        steps = [
            {
                "type": "object",
                "properties": {"tool": {"const": name}, "arguments": schema},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
            for name, schema in bench.tools.items()
        ]
        body = {
            "model": "local",
            "messages": messages,
            "temperature": 0,
            "max_tokens": bench.most_tokens,
            "response_format": {"type": "json_schema", "json_schema": {"name": "step", "schema": {"anyOf": steps}}},
        }
        request = urllib.request.Request(
            f"{self.endpoint}/chat/completions",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json", "authorization": "Bearer local"},
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])


_LAST = ("write_page", "propose", "record")
"""Tools that are the whole job."""

_BENCHES: dict[str, Callable[[dict[str, Any], Path, Path | None], Bench]] = {
    "ide": bare_files.Files,
    "designspec": bare_solid.Part,
    "pages": bare_texts.Page,
    "planner": bare_plan.Plan,
    "jobs": bare_texts.Quotes,
}
