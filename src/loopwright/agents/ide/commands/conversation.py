"""A conversation on the terminal: messages, and slash commands by which the user turns the switches."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from typer import echo, secho

from loopwright.agents.ide.commands.terminal import conversation_command
from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.index.codebase_index import IndexWatches
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.reasoning import Piece, Transcript
from loopwright.agents.ide.usecases import message_for, project_at
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from loopwright.cli.answers import AnswerSource, coloured
from loopwright.cli.running import print_error, printable
from loopwright.cli.views import follow
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import InvalidInput, LoopwrightError
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate

# A run in a conversation on the terminal: words as they come, a line for each call, and what it came to.

LONGEST_LINE = 110


class LiveView:
    """Words go to stdout, all else to stderr, so that an answer can be kept by redirecting it."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._transcript = Transcript()
        self._started = time.monotonic()
        self._open_line = False

    def show(self, piece: Event | Live) -> None:
        """Draw the piece, if it says something to a person."""
        if isinstance(piece, Event):
            handler = getattr(self, f"_on_{piece.type}", None)
            if handler is not None:
                handler(piece.payload)
        elif piece.kind == "delta":
            self._say(self._transcript.hear(piece.data))
        elif piece.kind == "progress":
            self._line(f"    {piece.data['message']}", dim=True)

    def paused_for(self, answers: AnswerSource, gate: Gate) -> dict[str, Any] | None:
        """Ask below what was said."""
        self._end_line()
        return answers.answer(gate)

    def finish(self, line: dict[str, Any], unused_answers: list[str]) -> None:
        """What the run came to, beside its words."""
        self._end_line()
        if line["type"] == "error":
            self._line(f"Failed ({line['code']}): {line['message']}", fg="red")
            self._line(line["hint"])
        elif line["type"] == "cancelled":
            self._line("Cancelled; what was done is kept. /undo takes it back.", fg="yellow")
        for missing in (line.get("delivery") or {}).get("missing") or []:
            self._line(f"Missing  {missing}", fg="yellow")
        for finding in (line.get("qa_report") or {}).get("findings") or []:
            place = ":".join(str(part) for part in (finding.get("file"), finding.get("line")) if part)
            self._line(f"QA       {finding['severity']} {place} {finding['finding']}".replace("  ", " "))
        if line.get("changed_files"):
            self._line(f"Changed  {', '.join(line['changed_files'])}   (/diff shows it, /undo takes it back)")
        cost = "" if line["cost_usd"] is None else f" · ${line['cost_usd']:.4f}"
        self._line(f"{line['steps']} steps · {time.monotonic() - self._started:.1f} s{cost}", dim=True)

    def _on_model_response(self, payload: dict[str, Any]) -> None:
        self._say(self._transcript.answered(payload))
        self._end_line()

    def _on_tool_call(self, payload: dict[str, Any]) -> None:
        subject = next((str(value) for value in payload["arguments"].values() if isinstance(value, str)), "")
        self._line(f"  ▸ {payload['name']} {' '.join(subject.split())}"[:LONGEST_LINE], fg="cyan")

    def _on_tool_result(self, payload: dict[str, Any]) -> None:
        first = payload["output"].strip().split("\n")[0]
        mark, colour = ("✓", "green") if payload["success"] else ("✗", "red")
        self._line(f"  {mark} {first}"[:LONGEST_LINE], fg=colour)

    def _on_controller_message(self, payload: dict[str, Any]) -> None:
        self._line(f"  · sent back: {payload['reason']}", dim=True)

    def _on_compacted(self, payload: dict[str, Any]) -> None:
        self._line(f"  · folded: {payload['tokens_before']} → {payload['tokens_after']} tokens", dim=True)

    def _say(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if piece.kind == "message":
                sys.stdout.write(printable(piece.text))
                sys.stdout.flush()
            else:
                secho(printable(piece.text), dim=True, nl=False, err=True)
            self._open_line = not piece.text.endswith("\n")

    def _line(self, text: str, **style: Any) -> None:
        self._end_line()
        secho(printable(text), err=True, **style)

    def _end_line(self) -> None:
        if self._open_line:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._open_line = False


HELP = """Write what you want, or:
  /mode [agent|chat]     whether it works or only answers
  /reasoning [on|off]    whether every stage shows its reasoning
  /qa [on|off]           whether a reviewer reports beside the answer
  /diff [ID]             what the last run changed, or the one named
  /undo [ID] [--force]   take it back
  /memory [WORDS]        what is remembered of the project
  /help                  this
  /quit                  leave; `loopwright ide --session ID` goes on later
Ctrl-C stops what is running."""
MODES = {"agent": "agent", "chat": "chat"}
ON_OFF = {"on": True, "off": False}


@dataclass
class Conversation:
    """One project, one source of answers, message after message; `options` are the switches as they stand."""

    application: Loopwright
    root: Path
    options: IdeOptions
    answers: AnswerSource
    session_id: str | None = None

    async def hold(self) -> int:
        """Carry on until the user leaves; what goes wrong is told and ends nothing.

        Returns:
            The exit code.
        """
        secho(f"{self.root}   (/help lists the commands)", err=True, dim=True)
        async with IndexWatches(lambda why: secho(why, err=True, dim=True)) as watches:
            watches.add(self._project.index)
            async for line in self._typed():
                try:
                    if line.startswith("/"):
                        await self._command(line)
                    else:
                        await self._message(line)
                except LoopwrightError as error:
                    print_error(error.code, error.message, error.hint, as_json=False)
        if self.session_id is not None:
            command = conversation_command(self.session_id, self.options.mode, reasoning=self.options.reasoning)
            echo(f"Conversation {self.session_id}\nGo on: {command}", err=True)
        return 0

    async def _typed(self) -> AsyncIterator[str]:
        while True:
            reasoning = " · reasoning" if self.options.reasoning else ""
            secho(f"\n{self.options.mode}{reasoning}> ", nl=False, err=True, bold=True)
            line = await _next_line()
            if not line or line.strip() in ("/quit", "/exit"):
                return
            if line.strip():
                yield line.strip()

    async def _message(self, text: str) -> None:
        new = await message_for(self.application, text, self.options, root=self.root, session_id=self.session_id)
        record = await create_run(self.application, new)
        self.session_id = record.session_id
        answers = replace(self.answers, stopped=threading.Event(), used=set())
        await follow(self.application, record.run_id, LiveView(), answers)

    async def _command(self, line: str) -> None:
        name, _, rest = line[1:].partition(" ")
        words = rest.split()
        match name:
            case "mode":
                self._turn("mode", MODES, words)
            case "reasoning" | "qa":
                self._turn(name, ON_OFF, words)
            case "diff":
                await self._diff(words)
            case "undo":
                await self._undo(words)
            case "memory":
                await self._memory(rest)
            case "help":
                echo(HELP, err=True)
            case _:
                raise InvalidInput(f"There is no command /{name}.", hint="/help lists them.")

    def _turn(self, switch: str, positions: dict[str, str] | dict[str, bool], words: list[str]) -> None:
        """Turn a switch to the position that is named, or to its other one."""
        if words and words[0] not in positions:
            raise InvalidInput(f"/{switch} cannot be {words[0]!r}.", hint=f"It is one of {', '.join(positions)}.")
        now = getattr(self.options, switch)
        value = positions[words[0]] if words else next(each for each in positions.values() if each != now)
        self.options = self.options.model_copy(update={switch: value})
        shown = next(each for each, position in positions.items() if position == value)
        echo(f"{switch}: {shown}", err=True)

    async def _diff(self, words: list[str]) -> None:
        checkpoints = await self._project.checkpoints.list()
        if not words and not checkpoints:
            raise InvalidInput("Nothing was changed here yet.")
        for line in (await self._project.checkpoints.diff(words[0] if words else checkpoints[0].id)).splitlines():
            echo(coloured(line))

    async def _undo(self, words: list[str]) -> None:
        named = [word for word in words if word != "--force"]
        force = "--force" in words
        done = await self._project.checkpoints.undo(named[0] if named else None, force=force)
        echo(f"Restored {', '.join(done.paths) or 'nothing: everything is as it was'}", err=True)

    async def _memory(self, query: str) -> None:
        found = await asyncio.to_thread(self._project.memory.list, query)
        for each in found:
            echo(f"{each.memory_id}  {each.tier:<10}  {each.content}")
        if not found:
            echo("Nothing is remembered yet. `loopwright ide memory add` adds a fact.", err=True)

    @property
    def _project(self) -> Project:
        return project_at(self.application.settings.home, self.root)


async def _next_line() -> str:
    """What the person types next; a Ctrl-C meanwhile is heard, as it is not by a thread that sits in a read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()
