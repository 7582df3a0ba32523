"""How the runs of this agent read on the terminal."""

import shlex
from collections.abc import Iterator
from typing import Any

from loopwright.agents.ide.permissions import offered
from loopwright.cli.answers import call_lines
from loopwright.cli.running import printable, program


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """What came of a run, and what to do next."""
    if line["type"] != "complete":
        return
    delivery, report = line.get("delivery") or {}, line.get("qa_report") or {}
    for missing in delivery.get("missing") or []:
        yield (f"Missing    {missing}")
    for finding in report.get("findings") or []:
        place = ":".join(str(part) for part in (finding.get("file"), finding.get("line")) if part)
        yield (f"QA         {finding['severity']}: {place + ' ' if place else ''}{finding['finding']}")
    if line.get("changed_files"):
        yield (f"Changed    {', '.join(line['changed_files'])}")
        yield (f"Take back  {program()} ide checkpoints undo {line['run_id']} --root {shlex.quote(line['root'])}")
    yield (f'Go on      {conversation_command(line["session_id"], line["mode"], reasoning=line["reasoning"])} "…"')


def permission_lines(details: dict[str, Any]) -> Iterator[str]:
    """The call, and what a yes for the run or for good would allow beside it."""
    yield from call_lines(details)
    if further := offered(details):
        yield f"  A yes for the run, or always, allows: {printable(further)}"


def conversation_command(session_id: str, mode: str, *, reasoning: bool) -> str:
    """The command that goes on in a conversation of the ide agent, with its switches as they stand."""
    switches = (" --mode chat" if mode == "chat" else "") + (" --reasoning on" if reasoning else "")
    return f"{program()} ide --session {session_id}{switches}"
