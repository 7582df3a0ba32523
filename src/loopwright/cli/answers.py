"""A run's questions on the terminal: how they read, and where the answers come from."""

import asyncio
import json
import select
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click import echo, style

from loopwright.app.agents import is_known, package
from loopwright.cli.running import printable
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Gate, QuestionItem, default_answers

MAX_LINES = 40


def gate_lines(agent: str, kind: str, details: dict[str, Any]) -> list[str]:
    """What would be approved, a line each; kinds for which the agent brings no view are shown as JSON.

    A command is shown to its end: what it does may stand there.
    """
    declared = package(agent) if is_known(agent) else None
    path = declared.gate_views.get(kind) if declared else None
    view = declared.load(path) if declared and path else call_lines if kind == "permission" else None
    lines = list(view(details)) if view is not None else []
    if not lines:
        return json.dumps(details, indent=2, ensure_ascii=False).splitlines()
    whole = len(lines) <= MAX_LINES or (kind == "permission" and "command" in (details.get("arguments") or {}))
    return lines if whole else [*lines[:MAX_LINES], f"… and {len(lines) - MAX_LINES} more lines"]


def call_lines(details: dict[str, Any]) -> Iterator[str]:
    """The diff or the command in colour; arguments that are neither are shown as they are."""
    arguments = details.get("arguments") or {}
    if details.get("leaves_sandbox"):
        yield style("  outside the sandbox: it can reach whatever you can", fg="yellow")
    elif details.get("network"):
        yield style("  with the network", fg="yellow")
    if arguments.get("command"):
        for number, line in enumerate(str(arguments["command"]).splitlines()):
            yield style(f"  {'>' if number else '$'} {printable(line)}", bold=True)
        return
    diff = details.get("diff") or details.get("preview") or arguments.get("diff")
    if diff:
        yield from (coloured(line) for line in str(diff).splitlines())
        return
    for name, value in arguments.items():
        lines = str(value).splitlines() or [""]
        yield f"  {name}: {printable(lines[0])}"
        yield from (f"    {printable(line)}" for line in lines[1:])


def coloured(line: str) -> str:
    """A line of a unified diff, as a terminal shows it."""
    plain = f"  {printable(line)}"
    if line.startswith(("+++", "---")):
        return style(plain, bold=True)
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return style(plain, fg=colour) if colour else plain


# Where answers to a run's questions come from: a file, the agent's defaults, or a person at the terminal.

LOOK_SECONDS = 0.2
"""How often a person who types nothing is checked for having pressed Ctrl-C."""


@dataclass
class AnswerSource:
    """Answers gates without asking twice: first from the file, then from the terminal, then by default where allowed.

    Keys of the file that fit no question of a gate are kept for a later one; `unused` names those that never fitted.
    `approved` are the kinds of gates that the user has approved beforehand, or `kind:step` for one step of a kind.
    """

    given: dict[str, Any] = field(default_factory=dict)
    accept_defaults: bool = False
    approved: frozenset[str] = frozenset()
    interactive: bool = False
    used: set[str] = field(default_factory=set)
    agent: str = ""
    """Whose gates are answered; it says how they are shown."""
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set when the user has had enough: who waits at the terminal stops waiting."""

    def answer(self, gate: Gate) -> dict[str, Any] | None:
        """The answer's payload, or None when a human has to be waited for, or was waited for in vain."""
        if gate.kind == "questions" and (fitting := self._fitting(gate)):
            answers = default_answers(gate)["answers"] if self.accept_defaults else {}
            return {"answers": answers | fitting}
        if self.accept_defaults or {gate.kind, f"{gate.kind}:{gate.details.get('step')}"} & self.approved:
            return default_answers(gate)
        if self.interactive:
            return ask(self.agent, gate, self.stopped)
        return None

    def _fitting(self, gate: Gate) -> dict[str, Any]:
        fitting = {}
        for index, question in enumerate(gate.questions):
            for key in (question.question, str(index)):
                if key in self.given and key not in self.used:
                    fitting[question.question] = self.given[key]
                    self.used.add(key)
                    break
        return fitting

    @property
    def unused(self) -> list[str]:
        """Keys of the file that fitted no question so far."""
        return [key for key in self.given if key not in self.used]


def read_answers(path: Path | None) -> dict[str, Any]:
    """The answers file: a JSON object from question text or index to answer.

    Raises:
        InvalidInput: there is no such file, or it is not such an object.
    """
    if path is None:
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}.") from error
    if isinstance(data, dict) and isinstance(data.get("answers"), dict):
        data = data["answers"]
    if not isinstance(data, dict):
        raise InvalidInput(f"{path} must hold a JSON object.", hint='For example {"0": "Dark", "1": ["Menu", "Cart"]}.')
    return data


async def ask_at_terminal(agent: str, gate: Gate) -> dict[str, Any] | None:
    """Ask the person at the terminal; being cancelled ends the questions."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(ask, agent, gate, stopped)
    finally:
        stopped.set()


class _Stopped(Exception):
    """The user broke the questions off."""


def ask(agent: str, gate: Gate, stopped: threading.Event) -> dict[str, Any] | None:
    """Ask the person at the terminal. An empty line takes the default; None when the questions are broken off.

    Raises:
        InvalidInput: the terminal was closed.
    """
    try:
        return _ask(agent, gate, stopped)
    except _Stopped:
        return None


def _ask(agent: str, gate: Gate, stopped: threading.Event) -> dict[str, Any]:
    if gate.kind != "questions":
        echo("\n".join(["", gate.title, *gate_lines(agent, gate.kind, gate.details)]), err=True)
        if gate.kind == "client":
            return _ask_result(gate, stopped)
        if gate.kind == "permission":
            return _ask_permission(gate, stopped)
        said = _prompt("Approve? [y/N] ", stopped).strip().lower()
        return {"decision": "approve" if said in ("y", "yes") else "reject"}
    echo("\nA few questions (Enter takes the default):", err=True)
    return {"answers": {question.question: _ask_one(question, stopped) for question in gate.questions}}


def _ask_result(gate: Gate, stopped: threading.Event) -> dict[str, Any]:
    """Whoever sits at the terminal stands in for the client."""
    said = _prompt("Its result, as JSON or text [not available here] > ", stopped).strip()
    if not said:
        return default_answers(gate)
    try:
        return {"result": json.loads(said)}
    except ValueError:
        return {"result": said}


SCOPES = {"y": "once", "yes": "once", "r": "run", "a": "always"}


def _ask_permission(gate: Gate, stopped: threading.Event) -> dict[str, Any]:
    """A yes may reach further than this call where the gate says what it would allow then."""
    further = "[r] for this run  [a] always in this project  " if gate.details.get("allows") else ""
    said = _prompt(f"Allow? [y] once  {further}[n] no > ", stopped).strip().lower()
    scope = SCOPES.get(said)
    if scope is None or (scope != "once" and not further):
        return {"decision": "reject"}
    return {"decision": "approve", "scope": scope}


def _ask_one(question: QuestionItem, stopped: threading.Event) -> str | list[str]:
    echo(f"\n{question.question}" + (f"\n  ({question.context})" if question.context else ""), err=True)
    options = question.options or []
    for number, option in enumerate(options, 1):
        echo(f"  {number}. {option}", err=True)
    default = question.default_answer()
    shown = ", ".join(default) if isinstance(default, list) else default
    many = ", several with commas" if question.type == "checkbox" else ""
    said = _prompt(f"[{shown or 'none'}{many}] > ", stopped).strip()
    if not said:
        return default
    if question.type == "checkbox":
        return [_choice(part.strip(), options) for part in said.split(",") if part.strip()]
    return _choice(said, options)


def _choice(said: str, options: list[str]) -> str:
    """A number picks an option; anything else is taken as the person's own words."""
    return options[int(said) - 1] if said.isdigit() and 0 < int(said) <= len(options) else said


def _prompt(text: str, stopped: threading.Event) -> str:
    echo(text, nl=False, err=True)
    # A thread that sits in a read cannot be called off, so it looks before it reads.
    while not select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
        if stopped.is_set():
            raise _Stopped
    line = sys.stdin.readline()
    if not line:
        raise InvalidInput("The terminal was closed before the questions were answered.")
    return line
