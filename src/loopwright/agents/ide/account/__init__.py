"""The account of the ide agent: what a statement promises, and checks that measure it apart from the tools' code."""

from collections.abc import Sequence

from loopwright.agents.ide.account.checks import TREE_CHECKS, Promise, definitions
from loopwright.agents.ide.account.reading import is_code, lines_naming, read
from loopwright.agents.ide.account.runners import (
    RunResult,
    TestRun,
    answer_of_run,
    calls_of_run,
    quoted_places,
    require_seen,
    test_runs,
    text_of,
    texts_of,
)
from loopwright.kernel.account import AccountKit, Check, Measured, NotMeasurable

# Checks of what was run and of what the answer says: tests, commands, places that are quoted.

NOT_STARTED = (126, 127)
"""The shell's exit codes for a program that it could not start."""


class AllTests(Promise):
    """Every test of the project."""


class Tests(Promise):
    """The tests of a file or a folder."""

    __test__ = False
    selection: str


class Command(Promise):
    """A command that was given word for word."""

    command: str


class NamedSymbol(Promise):
    """A name in the code."""

    name: str


async def all_tests_run(run: RunResult, claim: AllTests) -> Measured:
    """Every test was run after the last change, to the end, whatever it showed."""
    found = await _after_changes(run)
    return _ended([each for each in found if each.covers(run.output_dir)], found)


async def tests_run(run: RunResult, claim: Tests) -> Measured:
    """These tests were run after the last change, to their end, whatever they showed."""
    found = await _after_changes(run)
    asked = [each for each in found if each.covers(run.output_dir) or _is_of(run, each, claim.selection)]
    return _ended(asked, found)


async def tests_pass(run: RunResult, claim: Tests) -> Measured:
    """These tests were run after the last change, and the newest run that has them passed."""
    found = await _after_changes(run)
    asked = [each for each in found if each.covers(run.output_dir) or _is_of(run, each, claim.selection)]
    return Measured(asked[-1].passes, asked[-1].told, "") if asked else _ended([], found)


async def all_tests_pass(run: RunResult, claim: AllTests) -> Measured:
    """Every test was run after the last change, none failed then or later, and no fewer passed than were there."""
    found = await _after_changes(run)
    whole = [each for each in found if each.covers(run.output_dir)]
    if not whole:
        return _ended([], found)
    since = found[found.index(whole[-1]) :]
    wrong = next((each for each in since if not each.passes), None)
    earlier = test_runs(await calls_of_run(run), after_changes=False)
    most = max((each.passed or 0) + (each.failed or 0) for each in earlier if each.covers(run.output_dir))
    if wrong is None and (whole[-1].passed or 0) < most:
        return Measured(False, f"{whole[-1].told}, of {most} that were run before", "")
    return Measured(wrong is None, (wrong or whole[-1]).told, "")


async def command_run(run: RunResult, claim: Command) -> Measured:
    """The command was run to its end, as it was given."""
    calls = [each for each in await calls_of_run(run) if each.arguments.get("command") == claim.command]
    codes = [each.artifacts.get("exit_code") for each in calls]
    ended = [code for code in codes if code is not None and code not in NOT_STARTED]
    return Measured(bool(ended), f"exit code {ended[-1]}" if ended else "it was not run", "")


async def quoted(run: RunResult, claim: NamedSymbol) -> Measured:
    """The answer quotes a line that is there and defines the name."""
    right, wrong = await _quoted(run, claim.name)
    own = [each for each in definitions(run, claim.name) if each in right]
    value = f"{len(right) + len(wrong)} places quoted, {len(right)} have the name, {len(own)} define it"
    return Measured(bool(own), value, ", ".join(own[:5]))


async def explained(run: RunResult, claim: NamedSymbol) -> Measured:
    """False where the answer quotes no line that defines the name; no check can tell that an explanation is right.

    Raises:
        NotMeasurable: such a line is quoted.
    """
    found = await quoted(run, claim)
    if found.holds:
        raise NotMeasurable(f"{found.value} ({found.where}); nothing measures whether what is said of it is right")
    return found


async def defined_at(run: RunResult, claim: NamedSymbol) -> Measured:
    """The answer quotes every line that defines the name, and there is one."""
    require_seen(run.output_dir, claim.name, is_code)
    return await _all_quoted(run, claim.name, list(definitions(run, claim.name)), "defined")


async def used_at(run: RunResult, claim: NamedSymbol) -> Measured:
    """The answer quotes every line of code that has the name beside its definitions, and there is one."""
    require_seen(run.output_dir, claim.name, is_code)
    own = set(definitions(run, claim.name))
    places = [
        f"{path}:{line}"
        for path, text in texts_of(run.output_dir)
        if is_code(path)
        for line in lines_naming(path, text, claim.name)
    ]
    return await _all_quoted(run, claim.name, [each for each in dict.fromkeys(places) if each not in own], "used")


async def _after_changes(run: RunResult) -> Sequence[TestRun]:
    return test_runs(await calls_of_run(run), after_changes=True)


def _is_of(run: RunResult, found: TestRun, selection: str) -> bool:
    return not found.started.narrowed and found.names(run.output_dir, selection)


def _ended(asked: Sequence[TestRun], found: Sequence[TestRun]) -> Measured:
    """Whether the newest of those that were asked for came to its end."""
    if asked:
        return Measured(
            bool(asked[-1].exit_code is not None and (asked[-1].passed or asked[-1].failed)), asked[-1].told, ""
        )
    told = f"a part of the tests: {found[-1].told}" if found else "no tests were run after the last change"
    return Measured(False, told, "")


async def _quoted(run: RunResult, name: str) -> tuple[list[str], list[str]]:
    """The quoted places at which the name stands, and the others."""
    right: dict[str, None] = {}
    wrong: dict[str, None] = {}
    for path, line in quoted_places(await answer_of_run(run)):
        lines = (text_of(run.output_dir, path) or "").splitlines()
        has = 1 <= line <= len(lines) and line in lines_naming(path, "\n".join(lines), name)
        (right if has else wrong)[f"{path}:{line}"] = None
    return list(right), list(wrong)


async def _all_quoted(run: RunResult, name: str, places: Sequence[str], verb: str) -> Measured:
    right, _ = await _quoted(run, name)
    told = [each for each in places if each in right]
    value = f"{verb} on {len(places)} lines, {len(told)} of them quoted"
    return Measured(bool(places) and len(told) == len(places), value, ", ".join(told[:5]))


TOLD_CHECKS = (
    Check("all_tests_run", AllTests, all_tests_run, lasting=False),
    Check("all_tests_pass", AllTests, all_tests_pass, lasting=False),
    Check("tests_run", Tests, tests_run, lasting=False),
    Check("tests_pass", Tests, tests_pass, lasting=False),
    Check("command_run", Command, command_run, lasting=False),
    Check("quoted", NamedSymbol, quoted, lasting=False),
    Check("explained", NamedSymbol, explained, lasting=False),
    Check("defined_at", NamedSymbol, defined_at, lasting=False),
    Check("used_at", NamedSymbol, used_at, lasting=False),
)


# Everything that the kernel needs.

KIT = AccountKit(checks=(*TREE_CHECKS, *TOLD_CHECKS), read=read)
