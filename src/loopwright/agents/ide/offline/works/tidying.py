"""Applying what the project's own formatters and linters can mend."""

from dataclasses import dataclass

from loopwright.agents.ide.offline.commands import configuration, format_commands
from loopwright.agents.ide.offline.layout import exit_code, output, was_run
from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan

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
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="which formatters and linters the project configures",
            risk="a tool could be missing on this machine; what it cannot mend stays",
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
            result = yield from one("run_command", command=command, timeout_seconds=300)
            code = exit_code(result)
            if not was_run(result) or code is None or code == NOT_FOUND:
                why = "it is not installed here" if code == NOT_FOUND else result.first_line
                told.append(f"“{command}” did not run: {why}")
                missing.append(f"{command}: {why}")
                continue
            tail = "\n".join(output(result).strip().splitlines()[-SHOWN_LINES:])
            ending = "done" if code == 0 else f"exit code {code}; this is left to mend by hand"
            told.append(f"“{command}”: {ending}.\n{tail}".strip())
        return Outcome("\n".join(told), tuple(missing))
