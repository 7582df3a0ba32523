"""Explaining a file or a symbol by what can be read off it: its signature, its own words, what it uses, who uses it."""

import ast
import re
import textwrap
from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import Definition, Excerpt, definitions, read, uses
from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan
from loopwright.agents.ide.offline.works.finding import FindSymbol

MOST_LINES = 160
MOST_NAMES = 12
LONGEST_WORDS = 600
DEFINES = re.compile(
    r"^\s*(?:export\s+(?:default\s+)?|pub(?:\(\w+\))?\s+|public\s+|async\s+|static\s+)*"
    r"(?:def|class|function|func|fn|struct|enum|interface|trait|type|impl|const|module)\b.*"
)
COMMENT = re.compile(r"^\s*(?://+!?|#+!?|\*|/\*+|;+)\s?(.*?)(?:\*/)?$")


@dataclass(frozen=True)
class ExplainSymbol:
    """Explain a function or a class."""

    name: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"explain {self.name}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the definition of {self.name}, its own words, what it uses and what uses it",
            risk="rules read what stands there and cannot judge its purpose",
            done_when=f"the definition of {self.name} has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find it, read it, say what stands there."""
        wanted = self.name.rpartition(".")[2]
        found = yield from one("index_search_symbols", query=wanted, uses=True, limit=20)
        exact = [each for each in definitions(found) if each.name == wanted and each.qualified.endswith(self.name)]
        if not exact:
            return (yield from FindSymbol(self.name).work(offered))
        chosen = exact[0]
        first = max(1, chosen.first - 8)
        lines = yield from read(chosen.path, first, min(chosen.last, first + MOST_LINES))
        if lines is None:
            return Outcome(f"{chosen.path} could not be read.", (self.aim,))
        users = sorted({place.path for place in uses(found) if place.path != chosen.path})
        words = [f"{chosen.kind} {chosen.qualified} is defined at {chosen.place}:", f"    {chosen.signature}"]
        words += _read_off(chosen, lines)
        words.append(f"It is used in {', '.join(users[:8])}." if users else "No other file uses it by its name.")
        if len(exact) > 1:
            words.append(f"The name is defined in other places too: {', '.join(each.place for each in exact[1:8])}.")
        return Outcome("\n".join(words))


def _read_off(chosen: Definition, lines: Excerpt) -> list[str]:
    body = "\n".join(text for number, text in lines.lines.items() if number >= chosen.first)
    if chosen.path.endswith((".py", ".pyi")):
        return _python(body)
    above: list[str] = []
    for number in range(chosen.first - 1, min(lines.lines) - 1, -1):
        comment = COMMENT.match(lines.lines[number])
        if comment is None:
            break
        above.insert(0, comment[1].strip(" /*"))
    told = " ".join(line for line in above if line)
    return [f"Its comment says: {told[:LONGEST_WORDS]}"] if told else []


def _python(body: str) -> list[str]:
    try:
        tree = ast.parse(textwrap.dedent(body))
    except SyntaxError:
        return []  # cut off, or broken: nothing is read off it
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    words = []
    documented = ast.get_docstring(node)
    if documented:
        words.append(f"It says of itself: {' '.join(documented.split())[:LONGEST_WORDS]}")
    if isinstance(node, ast.ClassDef):
        methods = [each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        bases = [ast.unparse(base) for base in node.bases]
        words += [f"It extends {', '.join(bases)}."] if bases else []
        words += [f"Its methods: {', '.join(methods[:MOST_NAMES])}."] if methods else []
    calls = dict.fromkeys(ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call))
    raised = dict.fromkeys(
        ast.unparse(each.exc.func if isinstance(each.exc, ast.Call) else each.exc)
        for each in ast.walk(node)
        if isinstance(each, ast.Raise) and each.exc is not None
    )
    short = [name for name in calls if len(name) <= 60 and name not in raised]
    words += [f"It calls {', '.join(short[:MOST_NAMES])}."] if short else []
    words += [f"It raises {', '.join(raised)}."] if raised else []
    return words


@dataclass(frozen=True)
class ExplainFile:
    """Explain a file."""

    path: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"explain {self.path}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the lines of {self.path}",
            risk="rules read what stands there and cannot judge its purpose",
            done_when=f"{self.path} has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Read it."""
        result = yield from one("index_read_file", path=self.path, start_line=1, end_line=400)
        if result.failed:
            return Outcome(f"{self.path} could not be read: {result.first_line}", (self.aim,))
        lines = [line.partition("\t")[2] for line in result.text.split("\n") if "\t" in line]
        defined = [
            f"- line {number}: {line.strip().rstrip('{:').strip()[:120]}"
            for number, line in enumerate(lines, 1)
            if DEFINES.match(line)
        ]
        count = re.search(r"\n\(lines \d+-\d+ of (\d+);", result.text)
        words = [f"{self.path} has {count[1] if count else len(lines)} lines."]
        told = _module_words(lines) if self.path.endswith(".py") else ""
        words += [f"It says of itself: {told[:LONGEST_WORDS]}"] if told else []
        words += ["It defines:", *defined[:60]] if defined else ["Its first lines:", *lines[:25]]
        return Outcome("\n".join(words))


def _module_words(lines: list[str]) -> str:
    found = re.match(r'(?:#[^\n]*\n|\s*\n)*[rR]?(?:"""|\'\'\')(.*?)(?:"""|\'\'\')', "\n".join(lines), re.DOTALL)
    return " ".join(found[1].split()) if found else ""
