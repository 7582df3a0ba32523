"""Renaming a symbol: the tool knows scopes and imports; here is decided whether rules may call it."""

import keyword
import re
from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import Definition, definitions, uses
from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan

COMMON_TYPES = (str, bytes, int, float, list, tuple, dict, set, type(None))
CHANGED = re.compile(r"^Changed (.+) \(\+(\d+) [−-]\d+\)$", re.MULTILINE)
MOST_PLACES = 40


@dataclass(frozen=True)
class Rename:
    """Rename `old` to `new`; `container` is the class that it stands in, `every` takes all definitions of the name."""

    old: str
    new: str
    container: str = ""
    every: bool = False

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"rename {self.old} to {self.new} in its definition and in every use of it"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"the definitions and uses of {self.old}, and whether {self.new} is taken",
            risk=f"other things could have the name {self.old} too, and strings that hold it are not followed",
            done_when=f"the files that mean {self.old} say {self.new}, and a search finds it defined",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Look whether it is safe, rename, look again."""
        if not self.new.isidentifier() or keyword.iskeyword(self.new):
            return Outcome(f"{self.new!r} is no name that code can use, so nothing was renamed.", (self.aim,))
        found = yield from one("index_search_symbols", query=self.old, uses=True, limit=20)
        taken = yield from one("index_search_symbols", query=self.new, limit=5)
        exact = [each for each in definitions(found) if each.name == self.old]
        exact = [each for each in exact if self.container in ("", each.container.rpartition(".")[2])]
        why_not = self._why_not(exact, [each for each in definitions(taken) if each.name == self.new])
        if found.failed or taken.failed or why_not:
            words = why_not or found.first_line
            return Outcome(f"{words} Nothing was changed.", (self.aim,))
        if "rename_symbol" not in offered:
            places = ", ".join(f"{place.path}:{place.line}" for place in uses(found)[:MOST_PLACES])
            words = f"Renaming {self.old} to {self.new} concerns these places: {places}."
            return Outcome(f"{words} Nothing was changed: here the project can only be read.", (self.aim,))
        where = {"everywhere": True} if self.every else {"path": exact[0].path}
        done = yield from one("rename_symbol", old=self.old, new=self.new, **where)
        if done.failed:
            return Outcome(f"{self.old} was not renamed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        now = yield from one("index_search_symbols", query=self.new, limit=5)
        files = ", ".join(f"{path} ({lines})" for path, lines in CHANGED.findall(done.text))
        kept = "".join(f" {line}" for line in done.text.splitlines() if line.startswith("Left as "))
        words = f"Renamed {self.old} to {self.new}; changed lines by file: {files}.{kept}"
        defined = any(each.name == self.new for each in definitions(now))
        missing = () if defined else (f"{self.new} is defined nowhere now",)
        return Outcome(f"{words} Comments and strings that speak of {self.old} were not changed.", missing)

    def _why_not(self, exact: list[Definition], taken: list[Definition]) -> str:
        """Why rules should not rename this; empty where they may."""
        every = f"“Rename every {self.old} to {self.new}” takes all."
        if not exact:
            return f"Nothing with the name {self.old} is defined in this project."
        if taken:
            return f"{self.new} is defined already, at {taken[0].place}; the two would be mixed up."
        if self.every:
            return ""
        if len({(each.path, each.container) for each in exact}) > 1:
            places = ", ".join(each.place for each in exact[:10])
            return f"{self.old} is defined in several places ({places}), and rules cannot choose. {every}"
        member = exact[0].container and exact[0].path.endswith((".py", ".pyi"))
        if member and any(hasattr(each, self.old) for each in COMMON_TYPES):
            return f"{self.old} is a name that Python's own types have too; uses cannot be told apart. {every}"
        return ""
