"""What test runners write, read back: how many passed, what failed, and where."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.ide.offline.layout import Excerpt, exit_code, output, read_all, was_run
from loopwright.agents.ide.offline.script import Dialogue, shown
from loopwright.agents.ide.reasoning import one_line
from loopwright.kits.dialogue import Exchange, Script

LONGEST_MESSAGE = 240
MOST_FAILURES = 50


@dataclass(frozen=True)
class Failure:
    """A test that failed: its name, `path:line` where that is told, and the runner's words."""

    name: str
    place: str = ""
    message: str = ""


@dataclass(frozen=True)
class RunnerOutput:
    """The counts and the failures of a run; a count that the runner does not tell is None."""

    runner: str
    passed: int | None
    failed: int | None
    failures: tuple[Failure, ...] = ()


def read_runner_output(text: str) -> RunnerOutput | None:
    """Read what a runner has written, or None where no runner is recognised."""
    for reader in (_pytest, _unittest, _go, _cargo, _jest, _tap, _mocha):
        found = reader(text)
        if found is not None:
            return found
    return None


PYTEST_SUMMARY = re.compile(
    r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.:s ()]+(?: =+)?$|^(?:=+ )?no tests ran in ", re.M
)
COUNT = re.compile(r"(\d+) (passed|failed|errors?)")
PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$", re.M)
PYTEST_SECTION = re.compile(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(.+?) _{3,}$", re.M)
PYTEST_ERROR = re.compile(r"^E {3}(.+)$", re.M)
PYTEST_PLACE = re.compile(r"^(\S+?:\d+): (?:in |[A-Z]\w*)", re.M)


def _pytest(text: str) -> RunnerOutput | None:
    summary = list(PYTEST_SUMMARY.finditer(text))
    if not summary:
        return None
    counts = {"passed": 0, "failed": 0, "error": 0}
    for number, kind in COUNT.findall(summary[-1][0]):
        counts[kind.removesuffix("s")] = int(number)
    sections = _sections(text)
    failures = tuple(
        _pytest_failure(name, message, sections) for name, message in PYTEST_FAILED.findall(text)[:MOST_FAILURES]
    )
    return RunnerOutput("pytest", counts["passed"], counts["failed"] + counts["error"], failures)


def _sections(text: str) -> list[tuple[str, list[str], str]]:
    """Each failure's section: its title, the places that it names, and the error's first line."""
    parts = PYTEST_SECTION.split(text)
    bodies = (body.partition("short test summary")[0] for body in parts[2::2])
    return [
        (title, PYTEST_PLACE.findall(body), next(iter(PYTEST_ERROR.findall(body)), ""))
        for title, body in zip(parts[1::2], bodies, strict=True)
    ]


def _pytest_failure(name: str, message: str, sections: list[tuple[str, list[str], str]]) -> Failure:
    """A line of the summary with the last place of its section; tests of different files may have the same title."""
    path, _, test = name.partition("::")
    title = test.replace("::", ".") or path
    for other, places, error in sections:
        if other == title and any(place.startswith(f"{path}:") for place in places):
            return Failure(name, places[-1], _short(message or error))
    return Failure(name, message=_short(message))


UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.M)
UNITTEST_FAILURE = re.compile(r"^(?:FAIL|ERROR): (.+)\n(?:.*\n)??-{20,}\n((?:.*\n)*?)(?=\n={20,}|\n-{20,}|\Z)", re.M)
TRACE_PLACE = re.compile(r'^ +File "(.+?)", line (\d+)', re.M)


def _unittest(text: str) -> RunnerOutput | None:
    ran = UNITTEST_RAN.search(text)
    if ran is None:
        return None
    failures = []
    for name, body in UNITTEST_FAILURE.findall(text)[:MOST_FAILURES]:
        places = TRACE_PLACE.findall(body)
        lines = [line for line in body.strip().splitlines() if line.strip()]
        place = f"{places[-1][0]}:{places[-1][1]}" if places else ""
        failures.append(Failure(name.strip(), place, _short(lines[-1] if lines else "")))
    skipped = re.search(r"skipped=(\d+)", text)
    passed = int(ran[1]) - len(failures) - (int(skipped[1]) if skipped else 0)
    return RunnerOutput("unittest", max(0, passed), len(failures), tuple(failures))


GO_FAIL = re.compile(r"^ *--- FAIL: (\S+).*\n((?: {4,}.*\n?)*)", re.M)
GO_PLACE = re.compile(r"^ +(\S+\.go:\d+): ?(.*)$", re.M)
GO_PACKAGE = re.compile(r"^(?:ok|FAIL|---|\?)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[.*\])", re.M)
GO_BUILD = re.compile(r"^(\S+\.go:\d+(?::\d+)?): (.+)$", re.M)


def _go(text: str) -> RunnerOutput | None:
    if not GO_PACKAGE.search(text) and not GO_FAIL.search(text):
        return None
    failures = []
    for name, body in GO_FAIL.findall(text)[:MOST_FAILURES]:
        place = GO_PLACE.search(body)
        failures.append(Failure(name, place[1] if place else "", _short(place[2] if place else "")))
    if not failures and "[build failed]" in text:
        failures = [Failure("build", place, _short(message)) for place, message in GO_BUILD.findall(text)]
    passed = len(re.findall(r"^ *--- PASS: ", text, re.M)) or None
    return RunnerOutput("go test", passed, len(failures), tuple(failures))


def _cargo(text: str) -> RunnerOutput | None:
    results = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed", text, re.M)
    if not results:
        return None
    failures = []
    for name in re.findall(r"^test (\S+) \.\.\. FAILED", text, re.M)[:MOST_FAILURES]:
        told = re.search(rf"thread '{re.escape(name)}'(?: \(\d+\))? panicked at (\S+?:\d+)(?::\d+)?:\n(.*)", text)
        failures.append(Failure(name, told[1] if told else "", _short(told[2] if told else "")))
    return RunnerOutput("cargo test", sum(int(p) for p, _ in results), sum(int(f) for _, f in results), tuple(failures))


SCRIPT_PLACE = re.compile(r"\(?((?:/?[\w@.-]+/)*[\w.-]+\.[cm]?[jt]sx?:\d+)(?::\d+)?\)?")


def _jest(text: str) -> RunnerOutput | None:
    summary = re.search(r"^\s*Tests:?\s+(.*(?:passed|failed).*)$", text, re.M)
    if summary is None:
        return None
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed)", summary[1])}
    parts = re.split(r"^\s*(?:●|FAIL\b.*?>|×) (.+)$", text, flags=re.M)
    failures: dict[str, Failure] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        place, message = SCRIPT_PLACE.search(body), next((line for line in body.splitlines() if line.strip()), "")
        failures.setdefault(name.strip(), Failure(name.strip(), place[1] if place else "", _short(message)))
    return RunnerOutput(
        "npm test", counts.get("passed", 0), counts.get("failed", 0), tuple(failures.values())[:MOST_FAILURES]
    )


def _tap(text: str) -> RunnerOutput | None:
    passed, failed = (re.search(rf"^[#ℹ] {word} (\d+)$", text, re.M) for word in ("pass", "fail"))
    if passed is None or failed is None:
        return None
    parts = re.split(r"^ *(?:not ok \d+ -|✖) (.+?)(?: \([\d.]+ms\))?$", text, flags=re.M)
    failures: dict[str, Failure] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        place = SCRIPT_PLACE.search(body)
        message = re.search(r"(?:error: |\w*Error.*?: )(.+)", body)
        if name.strip() != "failing tests:":
            failures.setdefault(name, Failure(name, place[1] if place else "", _short(message[1] if message else "")))
    return RunnerOutput("node test", int(passed[1]), int(failed[1]), tuple(failures.values())[:MOST_FAILURES])


def _mocha(text: str) -> RunnerOutput | None:
    passed, failed = (re.search(rf"^\s*(\d+) {word}\b", text, re.M) for word in ("passing", "failing"))
    if passed is None:
        return None
    names = re.findall(r"^  \d+\) (.+(?:\n {7,}.+)*)", text.partition("failing")[2], re.M)
    failures = tuple(Failure(" ".join(name.split()).rstrip(":")) for name in names[:MOST_FAILURES])
    return RunnerOutput("mocha", int(passed[1]), int(failed[1]) if failed else 0, failures)


def _short(text: str) -> str:
    return one_line(text, LONGEST_MESSAGE)


# QA by rules: what can be proved wrong about the changed files and the commands of a run.

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
    tested = any(made.name == "run_command" for unit in dialogue.work for made in unit.calls)
    missing = ["No command was run after the files were changed."] if present and not tested else []
    unread = [path for path in present if path not in texts or not texts[path].whole]
    missing += [f"Not read to the end in this review: {', '.join(unread)}."] if unread else []
    return {
        "summary": _summary(len({**earlier, **changed}), findings),
        "findings": findings[:MOST_FINDINGS],
        "missing_steps": missing,
        "suggested_next_actions": _suggestions(findings, tested=tested, changed=bool(changed)),
    }


def changed_files(units: Sequence[Exchange]) -> dict[str, str]:
    """The files that calls have changed, with how, in the order of their first change."""
    found: dict[str, str] = {}
    for unit in units:
        for made, result in zip(unit.calls, unit.results, strict=True):
            if result.failed or made.name == "run_command" or made.name.startswith(READERS):
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


def _command_findings(units: Sequence[Exchange]) -> Iterator[Finding]:
    """What the last run of each command says; earlier ones may have been repaired."""
    last = {
        str(made.arguments.get("command")): result
        for unit in units
        for made, result in zip(unit.calls, unit.results, strict=True)
        if made.name == "run_command" and was_run(result)
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


def _failed_calls(units: Sequence[Exchange]) -> Iterator[Finding]:
    for unit in units:
        for made, result in zip(unit.calls, unit.results, strict=True):
            if result.failed and not was_run(result) and not made.name.startswith(READERS):
                path = str(made.arguments.get("path") or "") or None
                yield _finding("major", f"{shown(made)} was not carried out.", path, evidence=result.first_line)


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
    return [*(f"Repair: {words}" for words in serious[:5]), *(["Run the tests."] if changed and not tested else [])]
