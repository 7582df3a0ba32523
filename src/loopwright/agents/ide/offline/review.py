"""QA by rules: what can be proved wrong about the changed files and the commands of a run."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from loopwright.agents.ide.offline.dialogue import Dialogue
from loopwright.agents.ide.offline.layout import Excerpt, exit_code, output, read_all, was_run
from loopwright.agents.ide.offline.runner_output import read_runner_output
from loopwright.agents.ide.offline.script import Script, Unit

CHANGED = re.compile(r"^(Created|Changed|Deleted) (.+?) \(\+\d+ [−-]\d+\)$", re.MULTILINE)
MERGE = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)")
UNFINISHED = re.compile(rf"\b(?:{'TO'}DO|{'FIX'}ME)\b")
IN_SUMMARY = re.compile(r"\b(Created|Changed|Deleted) (\S+) \(\+\d+ [−-]\d+\)")
RESTORED = re.compile(r"^Restored: (.+)\.$", re.MULTILINE)
READERS = ("index_", "conversation_fold", "checkpoint_list", "patchset_list", "planner")
MOST_FILES, MOST_LINES = 6, 300
MOST_FINDINGS = 40
Finding = dict[str, Any]


def review(dialogue: Dialogue) -> Script[dict[str, Any]]:
    """Read the changed files again and write the report."""
    changed = changed_files(dialogue.work)
    earlier = {path: how for how, path in IN_SUMMARY.findall(dialogue.folded) if path not in changed}
    # A restored file may be gone as well: then there is nothing to read.
    present = [path for path, how in {**earlier, **changed}.items() if how != "Deleted"]
    texts = yield from read_all(present[:MOST_FILES], MOST_LINES)
    findings = [finding for text in texts.values() for finding in _file_findings(text)]
    findings += _command_findings(dialogue.work)
    findings += _failed_calls(dialogue.work)
    answer = dialogue.words[-1] if dialogue.words else ""
    findings += [
        _finding("minor", f"{path} was changed, and the answer does not say so.", path, evidence=f"{how} {path}")
        for path, how in changed.items()
        if path not in answer and path.rpartition("/")[2] not in answer
    ]
    tested = any(step.name == "run_command" for unit in dialogue.work for step in unit.steps)
    missing = ["No command was run after the files were changed."] if present and not tested else []
    unread = [path for path in present if path not in texts or not texts[path].whole]
    missing += [f"Not read to the end in this review: {', '.join(unread)}."] if unread else []
    return {
        "summary": _summary(len({**earlier, **changed}), findings),
        "findings": findings[:MOST_FINDINGS],
        "missing_steps": missing,
        "suggested_next_actions": _suggestions(findings, tested=tested, changed=bool(changed)),
    }


def changed_files(units: Sequence[Unit]) -> dict[str, str]:
    """The files that calls have changed, with how, in the order of their first change."""
    found: dict[str, str] = {}
    for unit in units:
        for step, result in zip(unit.steps, unit.results, strict=True):
            if result.failed or step.name == "run_command" or step.name.startswith(READERS):
                continue
            found |= {path: how for how, path in CHANGED.findall(result.text)}
            found |= {path: "Restored" for paths in RESTORED.findall(result.text) for path in paths.split(", ")}
    return found


def _file_findings(text: Excerpt) -> Iterator[Finding]:
    if text.whole:
        yield from _syntax(text)
    for number, line in text.lines.items():
        if MERGE.match(line):
            yield _finding("critical", "A mark of an unresolved merge stands in the file.", text.path, number, line)
        elif UNFINISHED.search(line):
            yield _finding("note", "A mark of unfinished work stands in the file.", text.path, number, line.strip())


def _syntax(text: Excerpt) -> Iterator[Finding]:
    suffix = text.path.rpartition(".")[2].lower()
    try:
        if suffix == "py":
            ast.parse(text.text)
        elif suffix == "json":
            json.loads(text.text)
        elif suffix == "toml":
            tomllib.loads(text.text)
    except (ValueError, RecursionError, SyntaxError) as error:
        number = getattr(error, "lineno", None)
        line = text.lines.get(number or 0, "")
        yield _finding("critical", f"The file cannot be parsed: {error}", text.path, number, line.strip())


def _command_findings(units: Sequence[Unit]) -> Iterator[Finding]:
    """What the last run of each command says; earlier ones may have been mended."""
    last = {
        str(step.arguments.get("command")): result
        for unit in units
        for step, result in zip(unit.steps, unit.results, strict=True)
        if step.name == "run_command" and was_run(result)
    }
    for command, result in last.items():
        code = exit_code(result)
        if code == 0:
            continue
        found = read_runner_output(output(result))
        if found is None or not found.failures:
            yield _finding("major", f"“{command}” failed.", evidence=result.text[:1_000])
            continue
        for failure in found.failures:
            path, _, number = failure.place.rpartition(":")
            line = int(number) if number.isdigit() else None
            evidence = failure.message or failure.name
            yield _finding("major", f"The test {failure.name} fails.", path or None, line, evidence)


def _failed_calls(units: Sequence[Unit]) -> Iterator[Finding]:
    for unit in units:
        for step, result in zip(unit.steps, unit.results, strict=True):
            if result.failed and not was_run(result) and not step.name.startswith(READERS):
                path = str(step.arguments.get("path") or "") or None
                yield _finding("major", f"{step.shown} was not carried out.", path, evidence=result.first_line)


def _finding(
    severity: str, finding: str, file: str | None = None, line: int | None = None, evidence: str = ""
) -> Finding:
    return {
        "file": file,
        "line": line or None,
        "severity": severity,
        "finding": finding[:2_000],
        "evidence": evidence[:4_000],
    }


def _summary(changed: int, findings: Sequence[Finding]) -> str:
    files = f"Looked at the changed files again ({changed})" if changed else "No call changed a file"
    serious = sum(1 for finding in findings if finding["severity"] in ("critical", "major"))
    told = f"{serious} of {len(findings)} findings are serious" if findings else "the rules found nothing"
    return f"{files}; {told}. The review is made by rules: syntax, tests, leftover marks, calls that failed."


def _suggestions(findings: Sequence[Finding], *, tested: bool, changed: bool) -> list[str]:
    serious = [finding["finding"] for finding in findings if finding["severity"] in ("critical", "major")]
    return [*(f"Mend: {words}" for words in serious[:5]), *(["Run the tests."] if changed and not tested else [])]
