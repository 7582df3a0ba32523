"""Finding: where something is defined, where it is used, which lines hold a text, which files there are."""

from dataclasses import dataclass
from typing import Literal

from loopwright.agents.ide.offline.layout import MOST_SHOWN, Place, definitions, entries, hits, uses
from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan

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
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the definitions and uses of {self.name} in the index, then the text of the files",
            risk="several things could have that name",
            done_when="paths and lines are known, or a search has shown that there are none",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Search the symbols; without one, search the text."""
        wanted = self.name.rpartition(".")[2]
        found = yield from one("index_search_symbols", query=wanted, uses=True, limit=20)
        if found.failed:
            return Outcome(f"The search failed: {found.first_line}", (self.aim,))
        exact = [each for each in definitions(found) if each.name == wanted]
        exact = [each for each in exact if each.qualified.endswith(self.name)] or exact
        places = uses(found)
        if not exact and not places:
            text = yield from one("index_search_text", query=self.name, limit=30)
            near = [each.qualified for each in definitions(found)][:5]
            return Outcome(_not_defined(self.name, near, hits(text)))
        lines = []
        if self.what != "uses" or not places:
            lines += [f"{each.kind} {each.qualified} is defined at {each.place}: {each.signature}" for each in exact]
            lines += [] if exact else [f"{self.name} is not defined in this project, but used in it."]
        if self.what != "definition" or not exact:
            own = {(each.path, each.first) for each in exact}
            elsewhere = [place for place in places if (place.path, place.line) not in own]
            lines.append(_used(self.name, elsewhere))
        return Outcome("\n".join(lines))


def _used(name: str, places: list[Place]) -> str:
    if not places:
        return f"Nothing uses {name} beside its definition."
    by_file: dict[str, list[str]] = {}
    for place in places:
        by_file.setdefault(place.path, []).append(str(place.line))
    lines = [f"- {path}: line{'s' if len(found) > 1 else ''} {', '.join(found)}" for path, found in by_file.items()]
    return "\n".join([f"{name} is used in {_count(len(by_file), 'file')}:", *lines[:MOST_SHOWN]])


def _not_defined(name: str, near: list[str], found: list[Place]) -> str:
    words = [f"Nothing is called {name} in the code of this project."]
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
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the text of {f'the files {self.glob}' if self.glob else 'all files'}",
            risk="ignored files and files with secrets are not searched",
            done_when="a search has shown the lines, or that there are none",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Search."""
        glob = {"glob": self.glob} if self.glob else {}
        result = yield from one("index_search_text", query=self.text, limit=100, **glob)
        if result.failed:
            return Outcome(f"The search failed: {result.first_line}", (self.aim,))
        found = hits(result)
        if not found:
            return Outcome(f"No line holds {self.text!r}.")
        lines, files = _count(len(found), "line"), _count(len({each.path for each in found}), "file")
        verb = "holds" if len(found) == 1 else "hold"
        more = f"\nand {len(found) - MOST_SHOWN} more lines" if len(found) > MOST_SHOWN else ""
        shown = "\n".join(_hit(each) for each in found[:MOST_SHOWN])
        return Outcome(f"{lines} in {files} {verb} {self.text!r}:\n{shown}{more}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _hit(place: Place) -> str:
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
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the list of the project's files",
            risk="ignored files are not listed",
            done_when="the list has been read",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        if self.pattern:
            found = entries((yield from one("index_find_files", pattern=self.pattern)))
        else:
            found = entries((yield from one("index_list_files", folder="", depth=2)))
        if not found:
            return Outcome(f"No file matches {self.pattern!r}." if self.pattern else "There are no files yet.")
        more = f"\nand {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
        return Outcome("\n".join([f"{len(found)} entries:", *(f"- {path}" for path in found[:MOST_SHOWN])]) + more)
