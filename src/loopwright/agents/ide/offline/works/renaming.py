"""Renaming a symbol: the tool knows scopes and imports; here is decided whether rules may call it."""

import keyword
import re
from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import (
    ShownDefinition,
    configuration,
    definitions,
    exit_code,
    format_commands,
    output,
    uses,
    was_run,
)
from loopwright.agents.ide.offline.script import Outcome, Work
from loopwright.agents.ide.offline.task import TaskPlan
from loopwright.kits.dialogue.scripts import call, one

# --------------------------------------------------------------------------------------------------------------------
# Applying what the project's own formatters and linters can repair.
# --------------------------------------------------------------------------------------------------------------------

NOT_FOUND = 127
SHOWN_LINES = 12


@dataclass(frozen=True)
class Tidy:
    """Run the formatters, the linters' fixes, or both."""

    linters: bool = True
    formatters: bool = True

    @property
    def aim(self) -> str:
        """What is to be done."""
        kinds = [name for name, wanted in (("linter fixes", self.linters), ("formatting", self.formatters)) if wanted]
        return f"apply {' and '.join(kinds)}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="which formatters and linters the project configures",
            risk="a tool could be missing on this machine; what it cannot repair stays",
            done_when="the configured tools have run",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find them, run them one after the other."""
        found = yield from configuration()
        commands = format_commands(found, linters=self.linters, formatters=self.formatters)
        if not commands:
            words = "The project configures no formatter or linter that is known here; none was chosen for it."
            return Outcome(
                f"{words} Known: ruff, black, isort, eslint, prettier, biome, gofmt, cargo fmt.", (self.aim,)
            )
        if "run_command" not in offered:
            return Outcome(f"These would do it: {'; '.join(commands)}. Nothing can be run here.", (self.aim,))
        told: list[str] = []
        missing: list[str] = []
        for command in commands:
            result = yield from one(call("run_command", command=command))
            code = exit_code(result)
            if not was_run(result) or code is None or code == NOT_FOUND:
                why = "it is not installed here" if code == NOT_FOUND else result.first_line
                told.append(f"“{command}” did not run: {why}")
                missing.append(f"{command}: {why}")
                continue
            tail = "\n".join(output(result).strip().splitlines()[-SHOWN_LINES:])
            ending = "done" if code == 0 else f"exit code {code}; this is left to repair by hand"
            told.append(f"“{command}”: {ending}.\n{tail}".strip())
        return Outcome("\n".join(told), tuple(missing))


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
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the definitions and uses of {self.old}, and whether {self.new} is taken",
            risk=f"other things could have the name {self.old} too, and strings that hold it are not followed",
            done_when=f"the files that mean {self.old} say {self.new}, and a search finds it defined",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Look whether it is safe, rename, look again."""
        if not self.new.isidentifier() or keyword.iskeyword(self.new):
            return Outcome(f"{self.new!r} is not a name that code can use, so nothing was renamed.", (self.aim,))
        found, used, taken = yield (
            call("index_search_symbols", query=self.old),
            call("index_find_uses", name=self.old),
            call("index_search_symbols", query=self.new),
        )
        exact = [each for each in definitions(found) if each.name == self.old]
        exact = [each for each in exact if self.container in ("", each.container.rpartition(".")[2])]
        why_not = self._why_not(exact, [each for each in definitions(taken) if each.name == self.new])
        if found.failed or taken.failed or why_not:
            words = why_not or found.first_line
            return Outcome(f"{words} Nothing was changed.", (self.aim,))
        if "rename_symbol_in" not in offered:
            places = ", ".join(f"{place.path}:{place.line}" for place in uses(used)[:MOST_PLACES])
            words = f"Renaming {self.old} to {self.new} concerns these places: {places}."
            return Outcome(f"{words} Nothing was changed: here the project can only be read.", (self.aim,))
        if self.every:
            done = yield from one(call("rename_symbol_everywhere", old=self.old, new=self.new))
        else:
            done = yield from one(call("rename_symbol_in", old=self.old, new=self.new, path=exact[0].path))
        if done.failed:
            return Outcome(f"{self.old} was not renamed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        now = yield from one(call("index_search_symbols", query=self.new))
        files = ", ".join(f"{path} ({lines})" for path, lines in CHANGED.findall(done.text))
        kept = "".join(f" {line}" for line in done.text.splitlines() if line.startswith("Left as "))
        words = f"Renamed {self.old} to {self.new}; changed lines by file: {files}.{kept}"
        defined = any(each.name == self.new for each in definitions(now))
        missing = () if defined else (f"{self.new} is defined nowhere now",)
        return Outcome(f"{words} Comments and strings that speak of {self.old} were not changed.", missing)

    def _why_not(self, exact: list[ShownDefinition], taken: list[ShownDefinition]) -> str:
        """Why rules should not rename this; empty where they may."""
        every = f"“Rename every {self.old} to {self.new}” takes all."
        if not exact:
            return f"The index of the project's code has no definition of {self.old}."
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
