"""A recorded coding session: a repository, what the user and the model say, and the repository at the end.

A session is a YAML file:

    title: what it shows
    git: true                       (the files are committed first)
    commands: true                  (it runs commands, so it needs the sandbox)
    before: {path: content}
    steps:
      - say: a message, with `options` of `loopwright ide`; or `command`: any other command line
        replies:                    (what the model answers to this step's requests, all of them)
          - stage: act              (where the run must be)
            sees: [text]            (what the request must show the model)
            calls: [{tool: {argument: value}}], or text: words
        code: 0                     (the exit code)
        last: {field: value}        (of the last JSON line, at least)
    after: {path: content}          (of files that are new or changed; null for those that are gone)

In options and commands `{session}` and `{run}` stand for those of the step before.
"""

import asyncio
import re
import subprocess
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from loopwright.kernel.messages import split_blocks
from tests.support.commands import Finished, Installation
from tests.support.model_server import Connection, ModelServer, Reply, Request, calls, status, text

OPENINGS = {
    "warmup": "Before the work begins",
    "delivery_check": "Now decide",
    "final": "Now write the answer",
    "qa_review": "Now review the work",
}
"""How the stages begin that tell the model something; the others tell nothing of themselves."""
OUTSIDE = "outside.txt"
PATCH_SET = re.compile(r"set-[0-9a-f]{8}")


class Strict(BaseModel):
    """A part of a session."""

    model_config = ConfigDict(extra="forbid")


class Answer(Strict):
    """One answer of the model, and what it was asked by."""

    stage: Literal["chat", "warmup", "act", "tool_followup", "delivery_check", "final", "qa_review"]
    sees: list[str] = Field(default_factory=list)
    hides: list[str] = Field(default_factory=list)
    calls: list[dict[str, dict[str, Any]]] = Field(default_factory=list)
    text: str = ""

    def problems(self, request: Request) -> list[str]:
        """What differs from the request that was recorded."""
        messages = request.body["messages"]
        shown = "\n".join(str(message.get("content") or "") for message in messages)
        told = [block for m in messages if m["role"] == "user" for block in split_blocks(str(m["content"]))[1].values()]
        opening = OPENINGS.get(self.stage, "")
        found = [] if not opening or (told and told[-1].startswith(opening)) else [f"the stage is not {self.stage}"]
        found += [f"{words!r} is not shown" for words in self.sees if words not in shown]
        found += [f"{words!r} is shown" for words in self.hides if words in shown]
        return [f"{problem}; the last message is {messages[-1]}" for problem in found]


def recorded(answer: Answer, problems: list[str]) -> Reply:
    """The answer, as long as the request is the recorded one."""

    async def reply(request: Request, connection: Connection) -> None:
        problems.extend(answer.problems(request))
        shown = PATCH_SET.search(str(request.body["messages"]))
        made = [(name, _with_patch_set(arguments, shown)) for call in answer.calls for name, arguments in call.items()]
        given = (
            status(400, problems[0]) if problems else calls(*made, content=answer.text) if made else text(answer.text)
        )
        await given(request, connection)

    return reply


def _with_patch_set(arguments: dict[str, Any], shown: re.Match[str] | None) -> dict[str, Any]:
    """The arguments, `{set}` replaced by the id of the patch set that the request tells of."""
    if "{set}" not in arguments.values():
        return arguments
    assert shown is not None, "no patch set was told"
    return {name: shown[0] if value == "{set}" else value for name, value in arguments.items()}


class Step(Strict):
    """What the user does, and what comes of it."""

    say: str = ""
    options: list[str] = Field(default_factory=list)
    command: list[str] = Field(default_factory=list)
    replies: list[Answer] = Field(default_factory=list)
    code: int = 0
    last: dict[str, Any] = Field(default_factory=dict)


class Session(Strict):
    """A recorded session."""

    title: str
    git: bool = False
    commands: bool = False
    before: dict[str, str]
    steps: list[Step]
    after: dict[str, str | None]

    @property
    def expected(self) -> dict[str, bytes]:
        """The repository at the end."""
        merged = {**self.before, **self.after}
        return {path: content.encode() for path, content in merged.items() if content is not None}


def read_session(path: Path) -> Session:
    """The session of a file."""
    return Session.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def files_of(root: Path) -> dict[str, bytes]:
    """Everything in the project but git's folder and the agent's own."""
    return {
        name: path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := path.relative_to(root).as_posix()).startswith((".git/", ".loopwright/"))
    }


def lay_out(session: Session, folder: Path) -> Path:
    """The project as it is before the session; beside it lies a file that nobody may touch."""
    root = folder / "project"
    for path, content in session.before.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode())
    (folder / OUTSIDE).write_text("not yours\n")
    if session.git:
        git(root, "init", "--quiet")
        git(root, "add", "--all")
        git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "Begin")
    return root


def git(root: Path, *arguments: str) -> str:
    """Run git in the project."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


async def play(session: Session, folder: Path) -> list[Finished]:
    """Carry out the steps by the command line, against a server that plays the recorded answers."""
    place, done = Installation(folder), list[Finished]()
    known = {"session": "", "run": ""}
    for step in session.steps:
        words = step.command or ["ide", step.say, "--root", "project", *step.options]
        problems: list[str] = []
        async with ModelServer([recorded(answer, problems) for answer in step.replies]) as server:
            place.settings["OPENAI_BASE_URL"] = server.base_url
            line = [word.format(**known) for word in words] if step.command or step.options else words
            finished = await asyncio.to_thread(place.run, *line, "--json")
            assert not problems, problems
            assert finished.code == step.code, (words, finished.out[-1_500:], finished.err[-1_500:])
            server.assert_done()
        last = finished.last
        assert {name: last.get(name) for name in step.last} == step.last, last
        known = {"session": last.get("session_id", known["session"]), "run": last.get("run_id", known["run"])}
        done.append(finished)
    return done
