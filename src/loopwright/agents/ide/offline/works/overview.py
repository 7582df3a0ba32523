"""Explaining a repository: its purpose, languages, entry points, structure, and how its tests are run."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.offline.commands import PYTHON_TEST, Configuration, command_of_tests, configuration
from loopwright.agents.ide.offline.layout import Excerpt, hits, read
from loopwright.agents.ide.offline.script import Outcome, Result, Work, one
from loopwright.agents.ide.offline.wish import Plan

LANGUAGES = {
    "py": "Python", "pyi": "Python", "js": "JavaScript", "jsx": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript",
    "ts": "TypeScript", "tsx": "TypeScript", "go": "Go", "rs": "Rust", "java": "Java", "swift": "Swift", "rb": "Ruby",
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++", "cs": "C#", "kt": "Kotlin", "php": "PHP",
    "sh": "Shell", "sql": "SQL", "html": "HTML", "css": "CSS", "scala": "Scala", "lua": "Lua", "dart": "Dart",
}  # fmt: skip
MAIN_FILES = re.compile(r"(?:^|/)(?:__main__\.py|main\.(?:go|rs|py|ts|js|c|cpp|swift)|manage\.py|index\.[jt]sx?)$")
README = re.compile(r"^readme(?:\.\w+)?$", re.IGNORECASE)
NO_PROSE = re.compile(r"^(?:#|=|-{3}|\*{3}|!\[|\[!|\[.*\]:|<|\||```|\.\. )")
LONGEST_PURPOSE = 500
MOST_FOLDERS, MOST_ENTRY_POINTS = 12, 12


@dataclass(frozen=True)
class Overview:
    """Explain the project; `only` limits the answer to one of its parts."""

    only: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"explain the project{f': its {self.only}' if self.only else ''}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the list of files, the README, the configuration files, the entry points",
            risk="what the README says may be older than the code",
            done_when="the files that tell it have been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Read what a newcomer reads first."""
        found = yield from configuration()
        readme = next((path for path in found.files if README.match(path)), None)
        text = (yield from read(readme, 1, 80)) if readme else None
        mains = yield from one(
            "index_search_text", query=r"^if __name__ == ['\"]__main__['\"]", regex=True, glob="*.py", limit=20
        )
        parts = {
            "purpose": _purpose(found, text),
            "languages": _languages(found.files),
            "entry points": _entry_points(found, mains),
            "structure": _structure(found.files),
            "tests": _tests(found),
        }
        chosen = {self.only: parts[self.only]} if self.only in parts else parts
        return Outcome("\n\n".join(part for part in chosen.values() if part) or "The project has no files yet.")


def _purpose(found: Configuration, readme: Excerpt | None) -> str:
    project = found.pyproject.get("project") or {}
    name = project.get("name") or found.package.get("name") or ""
    told = project.get("description") or found.package.get("description") or ""
    prose = _first_paragraph(readme) if readme is not None else ""
    lines = [f"{name}: {told}" if name and told else str(name or told)]
    lines += [f"{readme.path} says: {prose}"] if readme is not None and prose else []
    return "\n".join(line for line in lines if line)


def _first_paragraph(readme: Excerpt) -> str:
    for paragraph in re.split(r"\n\s*\n", readme.text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        prose = [line for line in lines if not NO_PROSE.match(line)]
        if prose and len(prose) == len(lines):
            return " ".join(prose)[:LONGEST_PURPOSE]
    return ""


def _languages(files: Sequence[str]) -> str:
    counts = Counter(LANGUAGES[suffix] for path in files if (suffix := path.rpartition(".")[2].lower()) in LANGUAGES)
    if not counts:
        return ""
    told = ", ".join(f"{language} ({count} file{'s' if count > 1 else ''})" for language, count in counts.most_common())
    return f"Languages: {told}."


def _entry_points(found: Configuration, mains: Result) -> str:
    points = list(_declared(found))
    points += [path for path in found.files if MAIN_FILES.search(path)]
    points += [f"{hit.path}:{hit.line}" for hit in hits(mains)]
    unique = list(dict.fromkeys(points))[:MOST_ENTRY_POINTS]
    return "\n".join(["Entry points:", *(f"- {point}" for point in unique)]) if unique else ""


def _declared(found: Configuration) -> Iterator[str]:
    project = found.pyproject.get("project") or {}
    for name, target in (project.get("scripts") or {}).items():
        yield f"command {name} → {target}"
    package = found.package
    commands = package.get("bin")
    for name, target in (commands if isinstance(commands, dict) else {}).items():
        yield f"command {name} → {target}"
    if isinstance(package.get("main"), str):
        yield f"{package['main']} (main of package.json)"
    for name, script in found.scripts.items():
        yield f"npm run {name} → {script}"


def _structure(files: Sequence[str]) -> str:
    counts = Counter(path.partition("/")[0] for path in files if "/" in path)
    if not counts:
        return ""
    lines = [f"- {folder}/ ({count} entr{'ies' if count > 1 else 'y'})" for folder, count in counts.most_common()]
    single = sorted(path for path in files if "/" not in path)
    tail = [f"- in the root: {', '.join(single[:20])}"] if single else []
    return "\n".join(["Structure:", *lines[:MOST_FOLDERS], *tail])


def _tests(found: Configuration) -> str:
    command = command_of_tests(found)
    files = [path for path in found.files if PYTHON_TEST.search(path) or re.search(r"[._](?:test|spec)\.\w+$", path)]
    where = f" Test files: {', '.join(files[:8])}{' and others' if len(files) > 8 else ''}." if files else ""
    return (f"Tests are run with “{command}”.{where}") if command else f"Nothing tells how tests are run.{where}"
