"""Running the project's tests, and saying what failed where."""

import shlex
from dataclasses import dataclass

from loopwright.agents.ide.offline.commands import Configuration, command_of_tests, configuration, unittest_command
from loopwright.agents.ide.offline.layout import exit_code, output, was_run
from loopwright.agents.ide.offline.runner_output import RunnerOutput, read_runner_output
from loopwright.agents.ide.offline.script import Outcome, Result, Work, one
from loopwright.agents.ide.offline.wish import Plan

SECONDS = 300
NO_TESTS_COLLECTED = 5
"""pytest's exit code."""
SHOWN_LINES = 15


@dataclass(frozen=True)
class RunTests:
    """Run the tests: all, those of a path, or a command that the user has written out."""

    path: str = ""
    command: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"run {self.command or 'the tests'}{f' in {self.path}' if self.path else ''}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        given = "the command as it was given"
        return Plan(
            research=given if self.command else "the configuration files that tell how tests are run",
            risk="the command could be missing on this machine, or need the network that the sandbox does not have",
            done_when="the command has ended and its exit code is known",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the command, run it, read its output."""
        found = None if self.command else (yield from configuration())
        command = self.command or _of_path(found, self.path)
        if command is None:
            return Outcome("Nothing in the project tells how its tests are run.", (self.aim,))
        if "run_command" not in offered:
            return Outcome(f"The tests are run with “{command}”. It was not run: nothing can be run here.", (self.aim,))
        result = yield from one("run_command", command=command, timeout_seconds=SECONDS)
        missing = "No module named pytest" in result.text and found is not None
        if missing and found is not None:
            command = unittest_command(found.files, self.path)
            result = yield from one("run_command", command=command, timeout_seconds=SECONDS)
        return told(command, result, self.aim, pytest_is_missing=missing)


def _of_path(found: Configuration | None, path: str) -> str | None:
    """The command for all tests, or for those of a path where the runner can be told so."""
    command = command_of_tests(found) if found is not None else None
    if found is None or command is None or not path:
        return command
    if "unittest" in command:
        return unittest_command(found.files, path)
    return f"{command} {shlex.quote(path)}" if "pytest" in command else command


def told(command: str, result: Result, aim: str, *, pytest_is_missing: bool = False) -> Outcome:
    """What a command's result says, as words; missing where it did not run to its end, or ran no test."""
    if not was_run(result):
        return Outcome(f"“{command}” was not run: {result.first_line}", (f"{aim}: {result.first_line}",))
    code, text = exit_code(result), output(result)
    if code is None:
        return Outcome(f"“{command}” was stopped: {result.first_line}\n{_end(text)}", (f"{aim}: it was stopped",))
    found = read_runner_output(text)
    if found is None:
        ending = "ended without an error" if code == 0 else f"failed with exit code {code}"
        return Outcome(f"“{command}” {ending}. Its last lines:\n{_end(text)}", () if code != 127 else (aim,))
    if not found.failed and not found.passed and code in (0, NO_TESTS_COLLECTED):
        why = " pytest is not installed for this project, nor in your shell." if pytest_is_missing else ""
        return Outcome(
            f"“{command}” ran no test, so nothing is known about the code.{why}", (f"{aim}: no test was run",)
        )
    return Outcome(_summary(command, code, found))


def _summary(command: str, code: int, found: RunnerOutput) -> str:
    passed = f", {found.passed} passed" if found.passed is not None else ""
    if code == 0:
        return f"All tests pass: “{command}” ended with exit code 0{passed}."
    lines = [f"“{command}” failed (exit code {code}): {found.failed} failed{passed}."]
    for each in found.failures:
        place = f" at {each.place}" if each.place else ""
        lines.append(f"- {each.name}{place}{f': {each.message}' if each.message else ''}")
    return "\n".join(lines)


def _end(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-SHOWN_LINES:])
