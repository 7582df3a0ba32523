"""Which sentences of the product claim success or certainty: read from its literals and reply templates.

`python -m tests.shape.success_sentences [folder]` prints, as JSON, those that no list has yet.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.shape.source import PACKAGE, ROOT, shown, syntax_tree

HOLE = "{}"
"""Stands for what an f-string or a template puts in."""

AGENTS = ("designspec", "ide", "jobs", "pages", "planner")

_STATES = (
    "done|completed?|finished|succeeded|successful(?:ly)?|pass(?:ed|es)?|ok|okay|verified|proven?|proved"
    "|guaranteed?|confiden(?:ce|t)|valid|kept|keeps?|holds?(?= *(?:[.,;:)]|$|again|still|now))|held"
    "|unchanged|identical|up to date|watertight|fixed|repaired|ready|safe"
)
_VERBS = f"is|are|was|were|has|have|had|works?|met|settled|found|read|checked|{_STATES}"
_ABSENCES = "was|is|were|are|has|had|chang\\w+|left|lost|missing|stands|needs?|fails|uses|to change|to do"
_LACKS = r"is|are|was|were|has|have|had|holds?|[a-z]{3,}ed|face|uses?|matches|fits"
_FAULTS = "problems?|errors?|conflicts?|differences?|warnings?|failures?|findings?|gaps?|trouble"
_GERMAN = (
    r"fertig|abgeschlossen|erledigt|vollständig|bestanden|gültig|bereits|stets|immer"
    r"|nichts (?:\w+ ){0,3}(?:aus|ge|ver|fehlt)\w*"
)
CLAIMS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?<![\w-])(?:{_STATES})(?![\w-])",
        r"\b(?:already|never|always|everything|everywhere)\b",
        rf"\bnothing (?:else |more |of it )?(?:{_ABSENCES})\b|(?-i:^Nothing\b)|\bfound nothing\b",
        rf"\b(?:all|every|each|both)\b[^:]{{0,60}}\b(?:{_VERBS})\b",
        rf"^(?:no|none) (?!.*\b(?:yet|named|given|asked|chosen)\b).*\b(?:{_LACKS})\b|\bno (?:{_FAULTS})\b",
        r"\bnot (?:defined|used|called|found|imported) (?:anywhere|here|in (?:this|the))\b",
        r"\bas (?:designed|(?:you )?(?:asked|wished|wanted))\b|\b(?:optimal|best possible)\b",
        rf"\b(?:{_GERMAN})\b",
    )
)
"""States that are reached, rules without exception, absences, wholes, a lack of anything bad; and states in German."""

_DENIED = re.compile(
    rf"(?:\b(?:not|cannot|isn't|no|nor|un|never|nothing|neither|in)[ -](?:\w+ ){{0,2}})(?:{_STATES})\b"
    r"|\b(?:there (?:is|are)|is|are|has|have|had|with|need(?:s|ed)?|names?|gives?) no\b[^:]*",
    re.I,
)
"""A claim turned round tells of a failure or of an absent input, and nobody takes that for success."""

_NO_STATEMENT = re.compile(
    r"\?$|^(?:if|when|while|until|unless|whether|use|take|say|send|write|do|try|print|list|run|show|call|keep|check|complete|make|close|change|move|turn|to)\b|\b(?:must|should|shall|would|may|might|can|could|let)\b",
    re.I,
)
"""Questions, orders, conditions, duties and possibilities say what is wanted, not what is so."""

_TO_THE_MODEL = ("description", "help", "pattern", "epilog", "alias")
"""Keywords whose text tells what an option or a field is for, not what has happened."""

_READING = frozenset({"startswith", "endswith", "removeprefix", "removesuffix", "index", "find", "count"})

_NOT_SHOWN = re.compile(
    r"^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA)\b|\(\?[:=!<iP]|\\[bdsw]|\[\^"
    r"|^[\w.\[\], ]+\| None$"
)
"""SQL, patterns and type annotations written as text."""


@dataclass(frozen=True)
class Claim:
    """One sentence, with holes where values are put in, and where it stands."""

    sentence: str
    path: str
    line: int

    @property
    def owner(self) -> str:
        """The agent whose list has it; "" for the shared layers."""
        parts = Path(self.path).stem.split("_") + list(Path(self.path).parts)
        if "agents" in Path(self.path).parts:
            return Path(self.path).parts[3]
        names = {"plan": "planner", "promises": "pages", "page": "pages", "job": "jobs"} | {
            name: name for name in AGENTS
        }
        return next((names[part] for part in parts if part in names), "")


def sentences(text: str) -> list[str]:
    """The sentences of a text: it is cut at lines, and after a closing mark before a space."""
    pieces = (piece.strip(" \t-*#•") for line in text.splitlines() for piece in re.split(r"(?<=[.!?;])\s+", line))
    return [piece for piece in pieces if piece]


def claims_success(sentence: str) -> bool:
    """Whether a reader would take the sentence as the word that something is done, whole, right or certain."""
    if " " not in sentence or _NO_STATEMENT.search(sentence):
        return False
    rest = _DENIED.sub("", sentence)
    return any(claim.search(rest) for claim in CLAIMS)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value.value) if isinstance(value, ast.Constant) else HOLE for value in node.values)
    return None


def _shown_texts(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The literals below a node that may be shown: no docstrings, raised complaints, or descriptions of options."""
    text = _text(node)
    if text is not None:
        yield text, getattr(node, "lineno", 0)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Raise | ast.Assert) or _describes(node) or _reads(node):
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "keys"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg in _TO_THE_MODEL:
                continue
            if isinstance(child, ast.AST):
                yield from _shown_texts(child)


def _reads(node: ast.AST) -> bool:
    """Whether its texts are looked for in another text, not told."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READING


def _describes(node: ast.AST) -> bool:
    """Whether it is the text that a command is described with."""
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id.endswith("HELP") for t in node.targets)


def _files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        if "testing" in path.parts or "data" in path.parts:
            continue
        replies = (path.suffix == ".md" and "replies" in path.parts) or (
            path.suffix == ".json" and "wording" in path.parts
        )
        if path.suffix == ".py" or replies:
            yield path


def _texts_of(path: Path) -> Iterator[tuple[str, int]]:
    if path.suffix == ".py":
        yield from _shown_texts(syntax_tree(path))
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        # A wording is an object of texts, one a line.
        text = line.partition('": "')[2].rstrip('",').replace("\\n", "\n") if path.suffix == ".json" else line
        yield re.sub(r"\{\{.*?\}\}|\{\w+\}", HOLE, re.sub(r"\{%.*?%\}", "", text)), number


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim of the package, in the order of its files."""
    found = []
    for path in _files():
        texts = list(_texts_of(path))
        for text, line in texts:
            if not _NOT_SHOWN.search(text):
                found += [
                    Claim(sentence, shown(path), line) for sentence in sentences(text) if claims_success(sentence)
                ]
    return tuple(found)


def list_of(owner: str) -> Path:
    """Where the claims of an agent, or of the shared layers, are listed."""
    name = "success_sentences.json"
    return ROOT / "tests" / "agents" / owner / name if owner else ROOT / "tests" / "shape" / name


def listed(owner: str) -> list[dict[str, str]]:
    """What a list holds; empty where there is none yet."""
    path = list_of(owner)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def missing(owner: str) -> list[Claim]:
    """The claims of an owner that its list does not have."""
    known = {entry["sentence"] for entry in listed(owner)}
    return [claim for claim in claims() if claim.owner == owner and claim.sentence not in known]


def main(arguments: list[str]) -> None:
    """Print what is missing, as entries to fill in; of the owners named, or of all."""
    for owner in arguments or ["", *AGENTS]:
        entries: dict[str, dict[str, str]] = {}
        for claim in missing("" if owner == "shared" else owner):
            entries.setdefault(
                claim.sentence, {"sentence": claim.sentence, "where": claim.path, "measured_by": "", "test": ""}
            )
        sys.stdout.write(json.dumps(list(entries.values()), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
