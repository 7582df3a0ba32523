"""Judges a project folder: by running its tests and hidden ones, its programs, and by reading its files."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from bench.small_model.outcome import Fact, Outcome

SECONDS = 60
LEFT_BEHIND = frozenset({"__pycache__", ".pytest_cache", ".git", ".loopwright", "node_modules"})


def judge(case: dict[str, Any], outcome: Outcome) -> list[Fact]:
    """A fact for each check of the case, made on a copy of the folder."""
    message = str(case["messages"][-1])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        shutil.copytree(outcome.folder, folder, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
        found = [_look(check, case, folder, outcome) for check in case["checks"]]
    return [Fact(message, problem is None, problem or "") for problem in found]


def _look(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    """What is wrong; None where the check holds."""
    kind = next(name for name in _CHECKS if name in check)
    return _CHECKS[kind](check, case, folder, outcome)


def _run(command: list[str], folder: Path) -> tuple[int, str, str]:
    command = [sys.executable if part == "python" else part for part in command]
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", f"more than {SECONDS} s"
    except OSError as error:
        return 127, "", str(error)
    return ended.returncode, ended.stdout, ended.stderr


def _pytest(folder: Path, *targets: str) -> str | None:
    code, out, err = _run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *targets], folder)
    return None if code == 0 else f"pytest ended with {code}: {(out or err).strip()[-400:]}"


def _tests(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    return _pytest(folder, "tests")


def _hidden(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    file = folder / "test_of_the_judge.py"
    file.write_text(check["hidden"], encoding="utf-8")
    try:
        return _pytest(folder, file.name)
    finally:
        file.unlink()


def _command(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    code, out, err = _run(check["command"], folder)
    if code != 0:
        return f"{' '.join(check['command'])} ended with {code}: {(out + err).strip()[-400:]}"
    wanted = check.get("stdout", out)
    return None if out == wanted else f"{' '.join(check['command'])} printed {out[:200]!r} instead of {wanted!r}"


def _node(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    file = folder / "judge.mjs"
    file.write_text(check["node"], encoding="utf-8")
    code, out, err = _run(["node", file.name], folder)
    return None if code == 0 else f"node ended with {code}: {(out + err).strip()[-400:]}"


def _equals(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    path = check.get("json") or check["toml"]
    try:
        text = (folder / path).read_text(encoding="utf-8")
        value = json.loads(text) if "json" in check else tomllib.loads(text)
    except (OSError, ValueError) as error:
        return f"{path} cannot be read: {error}"
    return None if value == check["equals"] else f"{path} holds {value}"


def _absent(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    word = re.compile(rf"\b{re.escape(check['absent'])}\b")
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in check["suffixes"]]
    left = [path.relative_to(folder).as_posix() for path in files if word.search(path.read_text(encoding="utf-8"))]
    return f"{check['absent']} still stands in {', '.join(left)}" if left else None


def _in_order(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    try:
        lines = [line.strip() for line in (folder / check["in_order"]).read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        return str(error)
    at = -1
    for text in check["texts"]:
        if text not in lines[at + 1 :]:
            return f"{check['in_order']} has no line {text!r} in its place"
        at = lines.index(text, at + 1)
    return None


def _unchanged(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    before: dict[str, str] = case["files"]
    paths = list(before) if check["unchanged"] == "all" else check["unchanged"]
    for path in paths:
        file = folder / path
        if not file.is_file() or file.read_text(encoding="utf-8") != before[path]:
            return f"{path} is not as it was"
    now = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    new = sorted(now - set(before)) if check["unchanged"] == "all" else []
    return f"new files: {', '.join(new)}" if new else None


def _answer(check: dict[str, Any], case: dict[str, Any], folder: Path, outcome: Outcome) -> str | None:
    """The answer names each path, the line of the definition, and no path that has nothing to do with it."""
    said = outcome.answer.replace("\\", "/")
    for path in check["answer"]:
        if path not in said and path.replace("/", ".").removesuffix(".py") not in said:
            return f"the answer does not name {path}: {said[:300]!r}"
    for path in check.get("not", []):
        if path in said:
            return f"the answer names {path}: {said[:300]!r}"
    lines = [number for number in check.get("line", {}).values() if not re.search(rf"(?<!\d){number}(?!\d)", said)]
    wrong = re.findall(r"\bline (\d+)|\.py:(\d+)", said)
    return f"line {lines[0]} is not told, others are: {said[:300]!r}" if lines and wrong else None


_CHECKS = {
    "hidden": _hidden,
    "tests": _tests,
    "command": _command,
    "node": _node,
    "json": _equals,
    "toml": _equals,
    "absent": _absent,
    "in_order": _in_order,
    "answer": _answer,
    "unchanged": _unchanged,
}
