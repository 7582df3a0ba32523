"""How a gate that wants a yes or a no reads for people."""

import json
from collections.abc import Iterator
from typing import Any

from click import style

from loopwright.app.agents import is_known, package
from loopwright.cli.printable import printable

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
