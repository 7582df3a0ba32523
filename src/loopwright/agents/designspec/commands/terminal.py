"""How the runs of this agent read on the terminal."""

import json
import shlex
from collections.abc import Iterator
from typing import Any

from loopwright.cli.running import program


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """What came of a run, and what to do next."""
    if line["type"] != "complete":
        return
    artifacts, folder = line.get("artifacts") or {}, line.get("output_dir") or ""
    for name, path in list(artifacts.items())[:12]:
        yield (f"{name:<18} {folder}/{path}")
    yield (f"Project    {line['project_dir']}   (spec {line['spec_hash']})")
    yield (f'Go on      {program()} designspec --project-dir {shlex.quote(line["project_dir"])} --message "run it"')


def patch_lines(details: dict[str, Any]) -> Iterator[str]:
    """A change of the document: what it does, and what follows from it."""
    preview = details.get("preview") or {}
    if details.get("stale"):
        yield "The document has changed since this was first approved:"
        yield from (f"  ! {line}" for line in details["stale"])
    yield from (f"  Takes back   {line}" for line in preview.get("takes_back") or [])
    changes = preview.get("changes") or [json.dumps(each, ensure_ascii=False) for each in details.get("operations", [])]
    yield from (f"  {line}" for line in changes)
    if preview.get("affected_stages"):
        yield f"  Runs again   {', '.join(preview['affected_stages'])}"
    yield from _estimate(preview.get("estimate") or {})
    for issue in preview.get("new_issues") or []:
        yield f"  Note         {issue.get('pointer', '')}: {issue.get('message', '')}"


def run_lines(details: dict[str, Any]) -> Iterator[str]:
    """A run of the pipeline: its stages, and what they cost."""
    if details.get("stale"):
        yield "The document has changed since the run was first approved:"
        yield from (f"  ! {line}" for line in details["stale"])
    yield f"  Document     {details.get('spec_hash', '')}"
    yield f"  Stages       {', '.join(details.get('stages') or [str(details.get('run_until', ''))])}"
    if details.get("kept"):
        yield f"  Taken over   {', '.join(details['kept'])}"
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
