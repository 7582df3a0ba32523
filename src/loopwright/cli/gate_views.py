"""How a gate that wants a yes or a no reads for people."""

import json
from collections.abc import Iterator
from typing import Any

from typer import style

from loopwright.agents.ide.permissions.rules import offered
from loopwright.cli.printable import printable

MAX_LINES = 40


def gate_lines(kind: str, details: dict[str, Any]) -> list[str]:
    """What would be approved, a line each; kinds without a form of their own are shown as JSON.

    A command is shown to its end: what it does may stand there.
    """
    form = _FORMS.get(kind)
    lines = list(form(details)) if form is not None else []
    if not lines:
        return json.dumps(details, indent=2, ensure_ascii=False).splitlines()
    whole = len(lines) <= MAX_LINES or (kind == "permission" and "command" in (details.get("arguments") or {}))
    return lines if whole else [*lines[:MAX_LINES], f"… and {len(lines) - MAX_LINES} more lines"]


def _patch(details: dict[str, Any]) -> Iterator[str]:
    preview = details.get("preview") or {}
    if details.get("stale"):
        yield "The document has changed since this was first approved:"
        yield from (f"  ! {line}" for line in details["stale"])
    changes = preview.get("changes") or [json.dumps(each, ensure_ascii=False) for each in details.get("operations", [])]
    yield from (f"  {line}" for line in changes)
    if preview.get("affected_stages"):
        yield f"  Runs again   {', '.join(preview['affected_stages'])}"
    yield from _estimate(preview.get("estimate") or {})
    for issue in preview.get("new_issues") or []:
        yield f"  Note         {issue.get('pointer', '')}: {issue.get('message', '')}"


def _run(details: dict[str, Any]) -> Iterator[str]:
    if details.get("stale"):
        yield "The document has changed since the run was first approved:"
        yield from (f"  ! {line}" for line in details["stale"])
    yield f"  Document     {details.get('spec_hash', '')}"
    yield f"  Stages       {', '.join(details.get('stages') or [str(details.get('run_until', ''))])}"
    if details.get("kept"):
        yield f"  Unchanged    {', '.join(details['kept'])}"
    if details.get("reason"):
        yield f"  Why          {details['reason']}"
    if details.get("expected_signal"):
        yield f"  Should show  {details['expected_signal']}"
    yield from _estimate(details.get("estimate") or {})


def _estimate(figures: dict[str, Any]) -> Iterator[str]:
    parts = []
    if figures.get("seconds"):
        parts.append(f"about {figures['seconds']:.1f} s")
    parts += [f"{figures[name]:,} {name}" for name in ("segments", "triangles") if figures.get(name)]
    if parts:
        yield f"  Estimated    {', '.join(parts)}"


def _plan(details: dict[str, Any]) -> Iterator[str]:
    if details.get("rfc"):
        yield f"  {details['rfc']}"
    yield from (f"  {line}" for line in details.get("lines") or [])
    blocks = details.get("blocks") or []
    for block in blocks[:14]:
        yield f"  {block['start'][:10]} {block['start'][11:16]}–{block['end'][11:16]}  {block['title']}"
    if details.get("block_count"):
        gap = "" if details.get("gap") is None else f", at most {details['gap']:.0%} from the best possible"
        yield f"  {details['block_count']} blocks in all ({details.get('status')}{gap}; {details.get('timezone')})"


def _permission(details: dict[str, Any]) -> Iterator[str]:
    """The call, and what a yes for the run or for good would allow beside it."""
    yield from _call(details)
    if further := offered(details):
        yield f"  A yes for the run, or always, allows: {printable(further)}"


def _call(details: dict[str, Any]) -> Iterator[str]:
    """The diff or the command in colour; arguments that are neither are shown as they are."""
    arguments = details.get("arguments") or {}
    if details.get("leaves_sandbox"):
        yield style("  outside the sandbox: it can reach whatever you can", fg="yellow")
    elif details.get("network"):
        yield style("  with the network", fg="yellow")
    if arguments.get("command"):
        where = arguments.get("working_directory")
        for number, line in enumerate(str(arguments["command"]).splitlines()):
            yield style(f"  {'>' if number else '$'} {printable(line)}", bold=True)
        if where:
            yield f"  in {printable(str(where))}"
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


_FORMS = {"patch": _patch, "run": _run, "plan": _plan, "permission": _permission}
