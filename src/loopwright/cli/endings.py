"""How a run's last line reads for people."""

import json
import shlex
from typing import Any

from typer import echo

from loopwright.cli.gate_views import gate_lines
from loopwright.cli.program import program


def print_ending(line: dict[str, Any], seconds: float) -> None:
    """Print what came out of the run, and what to do next."""
    {"complete": _complete, "waiting": _waiting, "cancelled": _cancelled, "error": _error}[line["type"]](line, seconds)


def _totals(line: dict[str, Any], seconds: float) -> str:
    cost = "price unknown" if line["cost_usd"] is None else f"${line['cost_usd']:.4f}"
    return f"{line['steps']} steps · {seconds:.1f} s · {cost} · {line['model'] or 'no model'}"


def _complete(line: dict[str, Any], seconds: float) -> None:
    echo(f"\n{line['message'].strip()}\n")
    _RESULTS.get(line["agent"], _nothing)(line)
    echo(f"Session    {line['session_id']}   (run {line['run_id']})")
    echo(f"Took       {_totals(line, seconds)}")


def _nothing(line: dict[str, Any]) -> None:
    """An agent that has no form of its own has said all in its message."""


def _pages(line: dict[str, Any]) -> None:
    if line.get("pages"):
        folder = line["session_dir"]
        echo(f"Pages      {', '.join(line['pages'])}" + ("" if line.get("valid") else "   (with open issues)"))
        for issue in line.get("issues", [])[:8]:
            echo(f"           ! {issue}")
        for each in (line.get("promises") or {}).get("superseded", []):
            echo(f"Promises   {each['by']} is in the place of {each['promise_id']} now: “{each['request'][:80]}”")
        shown = line.get("active_page_slug") or line["pages"][0]
        echo(f"Open       {folder}/pages/{shown}.html")
    echo(f'Refine     {program()} pages --session {line["session_id"]} "make the header green"')


def _designspec(line: dict[str, Any]) -> None:
    artifacts, folder = line.get("artifacts") or {}, line.get("output_dir") or ""
    for name, path in list(artifacts.items())[:12]:
        echo(f"{name:<18} {folder}/{path}")
    echo(f"Project    {line['project_dir']}   (spec {line['spec_hash']})")
    echo(f'Go on      {program()} designspec --project-dir {shlex.quote(line["project_dir"])} --message "run it"')


def _planner(line: dict[str, Any]) -> None:
    for kind, path in (line.get("artifacts") or {}).items():
        echo(f"{kind:<10} {line['output_dir']}/{path}")
    plan = line["plan_id"]
    echo(f"Plan       {plan}   ({line['nodes']} nodes, {line['blocks']} blocks, {line['makespan_days']} days)")
    echo(f'Change     {program()} plan replan {plan} "I lost Tuesday"')
    echo(f'Ask        {program()} plan why {plan} "a task\'s title"')


def _ide(line: dict[str, Any]) -> None:
    delivery, report = line.get("delivery") or {}, line.get("qa_report") or {}
    for missing in delivery.get("missing") or []:
        echo(f"Missing    {missing}")
    for finding in report.get("findings") or []:
        place = ":".join(str(part) for part in (finding.get("file"), finding.get("line")) if part)
        echo(f"QA         {finding['severity']}: {place + ' ' if place else ''}{finding['finding']}")
    if line.get("changed_files"):
        echo(f"Changed    {', '.join(line['changed_files'])}")
        echo(f"Take back  {program()} ide checkpoints undo {line['run_id']} --root {shlex.quote(line['root'])}")
    echo(f'Go on      {conversation_command(line["session_id"], line["mode"], reasoning=line["reasoning"])} "…"')


def conversation_command(session_id: str, mode: str, *, reasoning: bool) -> str:
    """The command that goes on in a conversation of the ide agent, with its switches as they stand."""
    switches = (" --mode chat" if mode == "chat" else "") + (" --reasoning on" if reasoning else "")
    return f"{program()} ide --session {session_id}{switches}"


def _jobs(line: dict[str, Any]) -> None:
    settled = ", ".join(f"{count} {status}" for status, count in line["settled"].items() if count)
    echo(f"Phases     {line['phases']}   (confidence {line['confidence']:.0%})")
    echo(f"Found      {line['requirements']} requirements" + (f"; settled: {settled}" if settled else ""))
    for path in line["deliverables"][:12]:
        echo(f"Written    {line['workspace']}/{path}")
    echo(f"See        {program()} jobs show {line['job_id']}   and   {program()} jobs requirements {line['job_id']}")


def _go_on(line: dict[str, Any]) -> None:
    """A job that has stopped goes on in its phase; other agents begin anew."""
    if line["agent"] == "jobs":
        echo(f"Go on      {program()} jobs resume {line['session_id']}")


_RESULTS = {"pages": _pages, "designspec": _designspec, "ide": _ide, "jobs": _jobs, "planner": _planner}


def _waiting(line: dict[str, Any], seconds: float) -> None:
    gate = line["gate"]
    echo(f"\nThe run waits for you: {gate['title'] or gate['kind']}")
    for question in line.get("questions", []):
        echo(f"\n  {question['index']}. {question['question']}  [{question['type']}]")
        if question.get("context"):
            echo(f"     {question['context']}")
        for option in question.get("options", []):
            echo(f"     - {option}")
    if gate["kind"] == "questions":
        example = {str(q["index"]): _example(q) for q in line.get("questions", [])}
        written = shlex.quote(json.dumps(example, ensure_ascii=False))
        echo(f"\nWrite your answers into a file, for example:\n  echo {written} > answers.json")
        echo(f"and go on with:\n  {program()} runs answer {line['run_id']} --answers answers.json")
        echo(f"or take the defaults:\n  {program()} runs answer {line['run_id']} --yes")
    else:
        for text in gate_lines(gate["kind"], gate["details"]):
            echo(text)
        decisions = ["--approve", "--reject"]
        if gate["kind"] == "permission" and gate["details"].get("allows"):
            decisions[1:1] = ["--approve --scope run", "--approve --scope always"]
        for decision in decisions:
            echo(f"  {program()} runs answer {line['run_id']} {decision}")


def _example(question: dict[str, Any]) -> Any:
    first = (question.get("options") or ["…"])[0]
    return [first] if question["type"] == "checkbox" else first


def _cancelled(line: dict[str, Any], seconds: float) -> None:
    echo(f"\nCancelled. What was done is kept: session {line['session_id']}, run {line['run_id']}.")
    _go_on(line)


def _error(line: dict[str, Any], seconds: float) -> None:
    echo(f"\nFailed ({line['code']}): {line['message']}")
    if line["hint"]:
        echo(f"Next: {line['hint']}")
    echo(f"Session {line['session_id']}, run {line['run_id']} · {_totals(line, seconds)}")
    _go_on(line)
