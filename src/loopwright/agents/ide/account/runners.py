"""What test runners write, as far as an account needs it: which tests a command ran, how many passed and failed."""

import mmap
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import join, normpath
from typing import Any, Protocol

from loopwright.kernel.account import NotMeasurable

# What checks may look at: the project's folder as it is now, and the journal of the run.

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})
MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""A folder that holds one of these was made by a program, and can be made again."""
MOST_BYTES = 2_000_000
LEFT_BEHIND = re.compile(
    r"\.(?:git|hg|svn|tox|nox|benchmarks|hypothesis|nyc_output|coverage(?:\..+)?|[\w-]+[_-]cache)|__pycache__|"
    r"node_modules|.+\.py[co]"
)
"""Names of files and folders that programs keep for themselves: nobody has asked for what changes in them."""


class RunResult(Protocol):
    """The part of a run that checks read."""

    output_dir: Path
    journal: Any
    state: Any


@dataclass(frozen=True)
class CallSeen:
    """A tool call in the journal with what came of it, in the order of the results."""

    name: str
    arguments: dict[str, Any]
    success: bool
    output: str
    artifacts: dict[str, Any]

    @property
    def written(self) -> Sequence[str]:
        """The files that it says of itself to have changed, without what programs keep for themselves."""
        if self.name == "patchset_propose" or self.artifacts.get("held"):
            return []  # it waits: nothing is written yet
        files = [str(each["path"]) for each in self.artifacts.get("files") or () if isinstance(each, dict)]
        paths = files or [str(path) for path in self.artifacts.get("paths") or ()]
        return [path for path in paths if not any(LEFT_BEHIND.fullmatch(part) for part in path.split("/"))]

    @property
    def wrote(self) -> bool:
        """Whether files were changed, or may have been: outside of the sandbox nobody tells."""
        return bool(self.written) or self.artifacts.get("confined") is False


async def calls_of_run(run: RunResult) -> Sequence[CallSeen]:
    """The calls of the run that were started and have a result."""
    started: dict[str, dict[str, Any]] = {}
    seen: list[CallSeen] = []
    for event in await run.journal.read(run.state.run_id):
        payload = event.payload
        if event.type == "tool_call":
            started[payload["call_id"]] = payload["arguments"]
        elif event.type == "tool_result" and payload["call_id"] in started:
            arguments, artifacts = started[payload["call_id"]], payload.get("artifacts") or {}
            seen.append(CallSeen(payload["name"], arguments, payload["success"], payload["output"], artifacts))
    return seen


ANSWERING = ("chat", "act", "tool_followup", "final")


async def answer_of_run(run: RunResult) -> str:
    """The last words that were meant for the user; empty where there are none yet."""
    newest = run.state.last_response
    if newest is not None and newest.stage in ANSWERING and not newest.tool_calls:
        return str(newest.visible_text)
    said = ""
    for event in await run.journal.read(run.state.run_id):
        payload = event.payload
        if event.type == "model_response" and payload["stage"] in ANSWERING and not payload.get("tool_calls"):
            said = payload.get("visible") if payload.get("visible") is not None else payload["text"]
    return said


def files_of(root: Path) -> Iterator[str]:
    """The paths of the project's files, without what programs have made for themselves."""
    for folder, folders, names in os.walk(root):
        inner = Path(folder)
        folders[:] = sorted(
            each
            for each in folders
            if each not in SKIPPED and not any((inner / each / mark).exists() for mark in MARKS)
        )
        yield from ((inner / name).relative_to(root).as_posix() for name in sorted(names))


def text_of(root: Path, path: str) -> str | None:
    """A file's text; None where it is not there, is too large, is not text, or lies outside."""
    place = (root / path).resolve()
    if not place.is_relative_to(root.resolve()) or not place.is_file() or place.stat().st_size > MOST_BYTES:
        return None
    try:
        return place.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def texts_of(root: Path) -> Iterator[tuple[str, str]]:
    """The text files of the project with their texts."""
    for path in files_of(root):
        text = text_of(root, path)
        if text is not None:
            yield path, text


def require_seen(root: Path, text: str, wanted: Callable[[str], bool] = lambda path: True) -> None:
    """Make sure that no file which cannot be read as text has these bytes.

    Raises:
        NotMeasurable: one has them, so that nobody can say that the text is nowhere.
    """
    unread = [path for path in files_of(root) if wanted(path) and text_of(root, path) is None]
    having = [path for path in unread if _has_bytes(root / path, text)]
    if having:
        raise NotMeasurable(f"{text} stands in files that are not read as text: {', '.join(having[:5])}")


def _has_bytes(place: Path, text: str) -> bool:
    if not place.is_file() or place.is_symlink() or not place.stat().st_size:
        return False
    with place.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(text.encode(code)) >= 0 for code in ("utf-8", "utf-16-le", "utf-16-be"))


# Places that an answer quotes: a path with lines, as people and tools write them.

PLACE = re.compile(r"(?P<path>[\w@+-]*(?:[/.][\w@+-]+)+):(?P<line>\d+)")
LISTED = re.compile(r"(?P<path>[\w@+-]*(?:[/.][\w@+-]+)+):? \(?lines? (?P<lines>\d+(?:(?:, | and |–|-)\d+)*)")


def quoted_places(answer: str) -> Iterator[tuple[str, int]]:
    """Each path with each of its lines: `a.py:3`, `a.py: lines 3, 9`."""
    for found in PLACE.finditer(answer):
        yield found["path"], int(found["line"])
    for found in LISTED.finditer(answer):
        yield from ((found["path"], int(line)) for line in re.findall(r"\d+", found["lines"]))


def places_that_are_there(root: Path, answer: str) -> Sequence[str]:
    """The quoted places whose file has such a line, each once."""
    found = (
        f"{path}:{line}"
        for path, line in quoted_places(answer)
        if 1 <= line <= len((text_of(root, path) or "").splitlines())
    )
    return list(dict.fromkeys(found))


STARTER = re.compile(
    r"(?:\w+=\S* |env |time |command |exec |nice |timeout (?:-\S+ )*\S+ |(?:uv|poetry|pipenv|pdm|hatch|rye) run |npx |"
    r"bunx |(?:pnpm|yarn|bundle) exec |(?:\S*/bin/)?python[\d.]* (?:-[bBEIOsSuv]+ )*-m |"
    r"coverage run (?:--?\w\S* )*-m )*"
)
"""What may stand before a runner in a command."""
RUNNER = re.compile(
    r"(?:(?:\S*/)?\.?bin/)?(?P<runner>pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ctest|rspec|phpunit|rake|ava)"
    r"(?= |$)|(?P<program>go|cargo|npm|yarn|pnpm|bun|dotnet|swift|mvn|gradle|\./gradlew|\./mvnw|deno|make|just|mix|zig)"
    r" (?:-s |run |build )*(?P<target>[\w:-]*(?:test|check|verify)\w*)(?= |$)"
)
WHOLE_TARGET = re.compile(r"tests?|check|verify")
QUIET_REDIRECT = re.compile(r"\s*(?:\d?>&\d|&>\s*/dev/null|\d?>\s*/dev/null)(?=\s|$|[;|&)])")
BESIDE = re.compile(
    r"(?:cd|export|set|true|:|pwd)(?: .*)?|(?:source|\.) \S*bin/activate|"
    r"echo [^\d`$]*(?:\$\?|\$\{PIPESTATUS\[0\]\})?[^\d`$]*"
)
"""Commands that print nothing which could be taken for the summary of a runner: no number but the exit code."""
BEHIND_PIPE = re.compile(r"(?:tail|head|cat)(?: (?:-\S+|\d+))*|tee \S+")
OTHER_PROGRAMS = re.compile(r"\bPATH=")
HARMLESS = re.compile(
    r"-[qvsxl]+|-r[fEsxXpPwaAN]+|--(?:verbose|quiet|exitfirst|no-header|showlocals|failfast|buffer|disable-warnings|"
    r"workspace|all|all-features|release|silent|ci|no-fail-fast|no-cov)|-race|-cover|-count=1|"
    r"--(?:color|tb|maxfail|durations|capture|cov|strict)\S*"
)
"""Options that leave out no test: whatever is not known may leave out some."""
WITH_VALUE = frozenset({"-n", "-W", "--tb", "--durations", "--maxfail", "--color", "--cov"})
OF_RUNNER = {"unittest": ("discover", "-f", "-b", "-c"), "vitest": ("run",), "go": ("./...",)}
"""Words that leave out no test of this runner's."""
TEST_FILE = re.compile(
    r"(?:.*/)?(?:tests?[_.-][^/]*|[^/]*[_.-](?:test|spec)s?|[^/]*Tests?)\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|swift)"
)
PYTEST = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+", re.MULTILINE)
COUNT = re.compile(r"(\d+) (passed|failed|errors?|passing|failing)")
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n+(OK|FAILED)(.*)$", re.MULTILINE)
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)
JEST = re.compile(r"^Tests:\s+(.*)$", re.MULTILINE)
MOCHA = re.compile(r"^\s+(\d+) (passing|failing)\b", re.MULTILINE)
GO = re.compile(r"^(ok|FAIL|---\s(?:PASS|FAIL):)\s", re.MULTILINE)
FAILED_PARTS = re.compile(r"(?:failures|errors)=(\d+)")
LEFT_OUT = re.compile(r"\b[1-9]\d* (?:deselected|filtered out)\b")


@dataclass(frozen=True)
class Started:
    """What a command ran: the paths that it named, and whether it may have left out tests in another way."""

    paths: Sequence[str]
    narrowed: bool


@dataclass(frozen=True)
class TestRun:
    """A run of tests: its command, exit code, and counts (None where the runner does not tell them)."""

    __test__ = False
    command: str
    exit_code: int | None
    passed: int | None
    failed: int | None
    started: Started

    @property
    def passes(self) -> bool:
        """Whether at least one test passed and none failed."""
        return self.exit_code == 0 and bool(self.passed) and not self.failed

    @property
    def told(self) -> str:
        """In words."""
        counts = f"{self.passed} passed, {self.failed} failed" if self.passed is not None else "no counts told"
        return f"“{self.command}”: exit code {self.exit_code}, {counts}"

    def covers(self, root: Path) -> bool:
        """Whether it ran every test of the project, by its arguments: none left out, and no test file outside."""
        if self.started.narrowed or not self.started.paths:
            return not self.started.narrowed
        tests = [path for path in files_of(root) if TEST_FILE.fullmatch(path)]
        return bool(tests) and all(self.names(root, test) for test in tests)

    def names(self, root: Path, path: str) -> bool:
        """Whether the path is among those that it named, or in one of them."""
        wanted = normpath(join(root.as_posix(), path))
        named = (normpath(join(root.as_posix(), each)) for each in self.started.paths)
        return any(wanted == each or wanted.startswith(f"{each}/") for each in named)


def test_runs(calls: Sequence[CallSeen], *, after_changes: bool) -> Sequence[TestRun]:
    """The runs of tests among the calls; with `after_changes` only those that follow the last change of a file."""
    found: list[TestRun] = []
    for call in calls:
        if after_changes and call.wrote:
            found.clear()
        command = call.arguments.get("command")
        started = started_by(command) if isinstance(command, str) and "exit_code" in call.artifacts else None
        if started is not None:
            passed, failed = counts(call.output)
            started = Started(started.paths, started.narrowed or LEFT_OUT.search(call.output) is not None)
            found.append(TestRun(str(command), call.artifacts["exit_code"], passed, failed, started))
    return found


test_runs.__test__ = False  # type: ignore[attr-defined]


def started_by(command: str) -> Started | None:
    """Which tests a shell command starts; None where it starts no runner, or where something else may print."""
    words = shlex.shlex(QUIET_REDIRECT.sub(" ", command.strip()).replace("\n", ";"), posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    try:
        parts = None if OTHER_PROGRAMS.search(command) else _parts(list(words))
    except ValueError:
        return None
    folder, found = "", list[Started]()
    for separator, part in parts or ():
        started = _started(part, folder)
        if started is not None and separator != "|":
            found.append(started)
        elif part[0] == "cd" and len(part) == 2:
            folder = join(folder, part[1])
        elif not (BEHIND_PIPE if separator == "|" else BESIDE).fullmatch(" ".join(part)):
            return None
    paths = [path for started in found for path in started.paths]
    return Started(paths, any(started.narrowed for started in found)) if found else None


def _parts(words: Sequence[str]) -> Sequence[tuple[str, Sequence[str]]] | None:
    """The simple commands with the separator before each; None where the line does more than to join some."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if word in (";", "&&", "||", "|"):
            parts.append((word, []))
        elif set(word) <= set("();<>|&"):
            return None
        else:
            parts[-1][1].append(word)
    return [(separator, part) for separator, part in parts if part]


def _started(part: Sequence[str], folder: str) -> Started | None:
    """What one simple command starts in this folder."""
    line = " ".join(re.sub(r"\s", "\0", word) for word in part)
    before = STARTER.match(line)
    runner = RUNNER.match(line, before.end() if before else 0)
    if runner is None:
        return None
    arguments, paths = line[runner.end() :].split(" ")[1:], list[str]()
    name = runner["runner"] or runner["program"]
    narrowed = runner["target"] is not None and WHOLE_TARGET.fullmatch(runner["target"]) is None
    narrowed |= name == "go" and "./..." not in arguments
    while arguments:
        argument, following = arguments.pop(0), arguments[0] if arguments else ""
        if argument in OF_RUNNER.get(name, ()):
            continue
        if name == "unittest" and argument in ("-s", "--start-directory"):
            paths.append(arguments.pop(0) if arguments else ".")
        elif argument in WITH_VALUE or (argument == "-p" and following.startswith("no:")):
            del arguments[: not following.startswith("-")]
        elif argument.startswith("-") or runner["program"]:
            narrowed |= HARMLESS.fullmatch(argument) is None
        else:
            paths.append(_path_of_module(argument) if name == "unittest" else argument)
    inside = [join(folder, path) for path in paths] or ([folder] if folder else [])
    return Started(inside, narrowed)


def _path_of_module(name: str) -> str:
    """The file of a module as unittest takes it: `tests.test_ok`; a path, or what names a case in it, stays."""
    return name if "/" in name or name.endswith(".py") else f"{name.replace('.', '/')}.py"


def counts(output: str) -> tuple[int | None, int | None]:
    """How many tests passed and failed, by all the summaries of the output."""
    if summaries := (PYTEST.findall(output) or JEST.findall(output)):
        numbers = [(kind.removesuffix("s"), int(number)) for each in summaries for number, kind in COUNT.findall(each)]
        passed = sum(number for kind, number in numbers if kind == "passed")
        return passed, sum(number for kind, number in numbers if kind in ("failed", "error"))
    if ran := UNITTEST.findall(output):
        failed = sum(int(part) for _, _, parts in ran for part in FAILED_PARTS.findall(parts))
        failed += sum(1 for _, verdict, parts in ran if verdict == "FAILED" and not FAILED_PARTS.search(parts))
        return max(sum(int(total) for total, _, _ in ran) - failed, 0), failed
    if cargo := CARGO.findall(output):
        return sum(int(passed) for passed, _ in cargo), sum(int(failed) for _, failed in cargo)
    if mocha := MOCHA.findall(output):
        told = {kind: int(number) for number, kind in mocha}
        return told.get("passing", 0), told.get("failing", 0)
    if go := GO.findall(output):
        failed = sum(1 for each in go if "FAIL" in each)
        return len(go) - failed, failed
    return None, None
