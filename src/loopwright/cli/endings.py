"""How a run's last line reads for people."""

import json
import shlex
from typing import Any

from click import echo

from loopwright.app.agents import is_known, package
from loopwright.app.ending import account_lines, told_first
from loopwright.cli.gate_views import gate_lines
from loopwright.cli.running import program


def print_ending(line: dict[str, Any], seconds: float) -> None:
    """Print what came out of the run, and what to do next."""
    {"complete": _complete, "waiting": _waiting, "cancelled": _cancelled, "error": _error}[line["type"]](line, seconds)


def _totals(line: dict[str, Any], seconds: float) -> str:
    cost = "price unknown" if line["cost_usd"] is None else f"${line['cost_usd']:.4f}"
    return f"{line['steps']} steps · {seconds:.1f} s · {cost} · {line['model'] or 'no model'}"


def _complete(line: dict[str, Any], seconds: float) -> None:
    echo("")
    _account(line)
    said = line["message"].removeprefix(told_first(line.get("account") or {}))
    echo(f"{said.strip()}\n")
    _own_lines(line)
    echo(f"Session    {line['session_id']}   (run {line['run_id']})")
    echo(f"Took       {_totals(line, seconds)}")


def _own_lines(line: dict[str, Any]) -> None:
    """What the agent's package says of the ending; one without such a view has said all in its message."""
    declared = package(line["agent"]) if is_known(line["agent"]) else None
    if declared and declared.ending:
        for text in declared.load(declared.ending)(line):
            echo(text)


def _account(line: dict[str, Any]) -> None:
    """What each statement of the user has come to, before anything that the agent says itself."""
    lines = list(account_lines(line.get("account") or {}, line["run_id"]))
    for text in lines:
        echo(text)
    if lines:
        echo("")


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
        for text in gate_lines(line["agent"], gate["kind"], gate["details"]):
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
    echo(f"\nCancelled; what was changed was not taken back. Session {line['session_id']}, run {line['run_id']}.")
    _own_lines(line)


def _error(line: dict[str, Any], seconds: float) -> None:
    echo("")
    _account(line)
    echo(f"Failed ({line['code']}): {line['message']}")
    if line["hint"]:
        echo(f"Next: {line['hint']}")
    echo(f"Session {line['session_id']}, run {line['run_id']} · {_totals(line, seconds)}")
    _own_lines(line)
