"""Finding: where something is defined, where it is used, which lines hold a text, which files there are."""

import ast
import re
import textwrap
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.ide.offline.layout import (
    MOST_SHOWN,
    Excerpt,
    Location,
    ShownDefinition,
    definitions,
    entries,
    hits,
    listing,
    read,
    uses,
)
from loopwright.agents.ide.offline.script import Outcome, TaskPlan, Work
from loopwright.kits.dialogue import Script, call, one

LONGEST_LINE = 160


@dataclass(frozen=True)
class FindSymbol:
    """Find a name: where it is defined, where it is used, or both."""

    name: str
    what: Literal["definition", "uses", "both"] = "both"

    @property
    def aim(self) -> str:
        """What is to be done."""
        return {
            "definition": f"find where {self.name} is defined",
            "uses": f"find where {self.name} is used",
            "both": f"find where {self.name} is defined and used",
        }[self.what]

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the definitions and uses of {self.name} in the index, then the text of the files",
            risk="several things could have that name",
            done_when="paths and lines are known, or a search has shown that there are none",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Search the symbols; without one, search the text."""
        wanted = self.name.rpartition(".")[2]
        found, used = yield (call("index_search_symbols", query=wanted), call("index_find_uses", name=wanted))
        if found.failed:
            return Outcome(f"The search failed: {found.first_line}", (self.aim,))
        exact = [each for each in definitions(found) if each.name == wanted]
        exact = [each for each in exact if each.qualified.endswith(self.name)] or exact
        places = uses(used)
        if not exact and not places:
            text = yield from one(call("index_search_text", query=self.name))
            near = [each.qualified for each in definitions(found)][:5]
            return Outcome(_not_defined(self.name, near, hits(text)))
        lines = []
        if self.what != "uses" or not places:
            lines += [f"{each.kind} {each.qualified} is defined at {each.place}: {each.signature}" for each in exact]
            lines += [] if exact else (yield from self._bound(wanted))
        if self.what != "definition" or not exact:
            own = {(each.path, each.first) for each in exact}
            elsewhere = [place for place in places if (place.path, place.line) not in own]
            lines.append(_used(self.name, elsewhere))
        return Outcome("\n".join(lines))

    def _bound(self, name: str) -> Script[list[str]]:
        """The lines that bind the name without defining it: assignments, and imports under this name."""
        binding = rf"^\s*{re.escape(name)}\s*(?::[^=]+)?=[^=]|\bimport\b.*\bas {re.escape(name)}\b"
        found = hits((yield from one(call("index_search_regex", pattern=binding, glob="*"))))
        lines = [f"The index has no definition of {self.name}."]
        return [*lines, "It is bound here:", *map(_hit, found[:MOST_SHOWN])] if found else lines


def _used(name: str, places: list[Location]) -> str:
    if not places:
        return f"The index shows no use of {name} beside its definition."
    by_file: dict[str, list[str]] = {}
    for place in places:
        by_file.setdefault(place.path, []).append(str(place.line))
    lines = [f"- {path}: line{'s' if len(found) > 1 else ''} {', '.join(found)}" for path, found in by_file.items()]
    return "\n".join([f"{name} is used in {_count(len(by_file), 'file')}:", *lines[:MOST_SHOWN]])


def _not_defined(name: str, near: list[str], found: list[Location]) -> str:
    words = [f"The index has no symbol {name}."]
    words += [f"Similar names: {', '.join(near)}."] if near else []
    if found:
        words.append("The text stands in:\n" + "\n".join(_hit(each) for each in found[:MOST_SHOWN]))
    return " ".join(words)


@dataclass(frozen=True)
class FindText:
    """Find the lines that hold a text."""

    text: str
    glob: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"find the lines that hold {self.text!r}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the text of {f'the files {self.glob}' if self.glob else 'all files'}",
            risk="ignored files and files with secrets are not searched",
            done_when="a search has shown the lines, or that there are none",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Search."""
        if self.glob:
            result = yield from one(call("index_search_regex", pattern=re.escape(self.text), glob=self.glob))
        else:
            result = yield from one(call("index_search_text", query=self.text))
        if result.failed:
            return Outcome(f"The search failed: {result.first_line}", (self.aim,))
        found = hits(result)
        if not found:
            return Outcome(f"The search gave no line with {self.text!r}.")
        lines, files = _count(len(found), "line"), _count(len({each.path for each in found}), "file")
        verb = "holds" if len(found) == 1 else "hold"
        more = f"\nand {len(found) - MOST_SHOWN} more lines" if len(found) > MOST_SHOWN else ""
        shown = "\n".join(_hit(each) for each in found[:MOST_SHOWN])
        return Outcome(f"{lines} in {files} {verb} {self.text!r}:\n{shown}{more}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _hit(place: Location) -> str:
    return f"- {place.path}:{place.line}: {place.text.strip()[:LONGEST_LINE]}"


@dataclass(frozen=True)
class FindFiles:
    """Find files by a glob or a part of their path."""

    pattern: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"find the files {self.pattern}" if self.pattern else "list the files"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the list of the project's files",
            risk="ignored files are not listed",
            done_when="the list has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        if self.pattern:
            found = entries((yield from one(call("index_find_files", pattern=self.pattern))))
        else:
            found = entries((yield from one(call("index_list_files", folder="."))))
        if not found:
            return Outcome(f"No file matches {self.pattern!r}." if self.pattern else "There are no files yet.")
        more = f"\nand {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
        return Outcome("\n".join([f"{len(found)} entries:", *(f"- {path}" for path in found[:MOST_SHOWN])]) + more)


# Explaining a file or a symbol by what can be read off it: its signature, its own words, what it uses, who uses it.

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
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the definition of {self.name}, its own words, what it uses and what uses it",
            risk="rules read what stands there and cannot judge its purpose",
            done_when=f"the definition of {self.name} has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find it, read it, say what stands there."""
        wanted = self.name.rpartition(".")[2]
        found, used = yield (call("index_search_symbols", query=wanted), call("index_find_uses", name=wanted))
        exact = [each for each in definitions(found) if each.name == wanted and each.qualified.endswith(self.name)]
        if not exact:
            return (yield from FindSymbol(self.name).work(offered))
        chosen = exact[0]
        first = max(1, chosen.first - 8)
        lines = yield from read(chosen.path, first, min(chosen.last, first + MOST_LINES))
        if lines is None:
            return Outcome(f"{chosen.path} could not be read.", (self.aim,))
        users = sorted({place.path for place in uses(used) if place.path != chosen.path})
        words = [f"{chosen.kind} {chosen.qualified} is defined at {chosen.place}:", f"    {chosen.signature}"]
        words += _read_off(chosen, lines)
        words.append(
            f"Other files that use it: {', '.join(users[:8])}." if users else "The index shows no use in other files."
        )
        if len(exact) > 1:
            words.append(f"The name is defined in other places too: {', '.join(each.place for each in exact[1:8])}.")
        return Outcome("\n".join(words))


def _read_off(chosen: ShownDefinition, lines: Excerpt) -> list[str]:
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
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the lines of {self.path}",
            risk="rules read what stands there and cannot judge its purpose",
            done_when=f"{self.path} has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Read it."""
        result = yield from one(call("index_read_file", path=self.path))
        if result.failed and "/" not in self.path:
            named = [path for path in (yield from listing()) if path.rpartition("/")[2] == self.path]
            if len(named) == 1:
                return (yield from ExplainFile(named[0]).work(offered))
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
