"""The prefixes of a command: what a yes that reaches beyond this one call would allow.

A prefix is a program and, where the program has sub-commands, the sub-command: `pytest`, `git commit`. A command of
which the program cannot be told for sure has none; it is asked about each time.
"""

import re
import tomllib
from collections.abc import Sequence
from importlib import resources

from loopwright.agents.ide.permissions.shell_words import Word, simple_commands

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
SUBCOMMAND = re.compile(r"[A-Za-z][A-Za-z0-9_:.-]*")
STARTS_ANOTHER = re.compile(
    r"(?ixs) --? ([a-z0-9]+-)* (program|prog|command|cmd|exec|toolexec|vettool|shell|rsh|pager|editor|interpreter"
    r"|launcher|wrapper|preload) (-[a-z0-9-]+)? (=.*)?"
)
"""An option that by its name takes a program: a yes to the outer one is none to that."""
PYTHON = re.compile(r"python[0-9.]*|pypy[0-9.]*")

_PROGRAMS = tomllib.loads(resources.files(__package__).joinpath("programs.toml").read_text(encoding="utf-8"))
HIDERS = frozenset(f"{_PROGRAMS['hiders']} {_PROGRAMS['shell']}".split())
SUBCOMMANDED, TARGETED = frozenset(_PROGRAMS["subcommands"].split()), frozenset(_PROGRAMS["targets"].split())
STARTERS = {name: re.compile(options) for name, options in _PROGRAMS["starters"].items()}
RUNNERS, NAMED, OPEN = (frozenset(_PROGRAMS[name]) for name in ("runners", "named", "open"))


def prefixes_of(command: str) -> tuple[str, ...] | None:
    """The prefix of each simple command, in order; None where one of them cannot be told."""
    commands = simple_commands(command)
    if commands is None:
        return None
    found = [_prefix(words) for words in commands]
    return None if any(each is None for each in found) else tuple(each for each in found if each is not None)


def _prefix(words: Sequence[Word]) -> str | None:
    program = words[0]
    if any(STARTS_ANOTHER.fullmatch(each) for each in words[1:]) or _has_starter(words):
        return None
    if not program.plain or not NAME.fullmatch(program) or program in HIDERS:
        return None
    if PYTHON.fullmatch(program):
        return _module(words)
    if program in TARGETED:
        return " ".join(words) if len(words) > 1 and all(_is_name(each) for each in words[1:]) else None
    if program in SUBCOMMANDED:
        return _with_subcommand(words)
    return str(program)


def _has_starter(words: Sequence[Word]) -> bool:
    """Whether an option starts another program that only those who know this one can tell."""
    options = STARTERS.get(" ".join(words[:2])) or STARTERS.get(words[0])
    return options is not None and any(options.match(each) for each in words[1:])


def _module(words: Sequence[Word]) -> str | None:
    """Of Python only a module that is run by its name; a script is whatever the project makes of it."""
    is_module = len(words) > 2 and words[1] == "-m" and words[1].plain and _is_name(words[2])
    return " ".join(words[:3]) if is_module else None


def _with_subcommand(words: Sequence[Word]) -> str | None:
    """An option before the sub-command may change what that does, so there is none then."""
    taken = 1 if words[0] in RUNNERS else 2
    if len(words) < taken or not all(_is_name(each) for each in words[1:taken]):
        return None
    prefix, rest = " ".join(words[:taken]), words[taken:]
    if prefix in OPEN:
        return None
    if prefix in RUNNERS:
        inner = _prefix(rest) if rest else None
        return f"{prefix} {inner}" if inner is not None else None
    if prefix in NAMED:
        return f"{prefix} {rest[0]}" if rest and _is_name(rest[0]) else None
    return prefix


def _is_name(word: Word) -> bool:
    return word.plain and SUBCOMMAND.fullmatch(word) is not None
