"""Rules: what the user allows beyond one call. `write`, `protected`, or `run:PREFIX` for commands of one prefix."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from loopwright.kernel.errors import InvalidInput

# The simple commands of a shell command line, as far as they are plain; what is not plain is not read at all.

PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+")
"""Characters that mean nothing to a shell, wherever in a word they stand after the first."""
OPERATOR = re.compile(r"&&|\|\||;|\||\n")
HARMLESS_REDIRECTION = re.compile(r"(?:[12]?>[ \t]*/dev/null|2>&1|1>&2)(?=[ \t\n;|]|$)")
SINGLE_QUOTED = re.compile(r"'[^'\0\r]*'")
DOUBLE_QUOTED = re.compile(r'"[^"\\$`\0\r]*"')
PATTERN = re.compile(r"[*?]")
"""Pathname patterns: what they become is a file's name, which must not be taken for an option."""
BLANK = re.compile(r"[ \t]+")


class Word(str):
    """A word as the program gets it; `plain` says that it was written without quotes and patterns."""

    plain: bool = True


def simple_commands(line: str) -> list[list[Word]] | None:
    """The words of each simple command in the line, in order; None where the line is not plain.

    Empty lines between commands are passed over.
    """
    commands: list[list[Word]] = [[]]
    position, joined = 0, False
    while position < len(line):
        if found := OPERATOR.match(line, position):
            if not commands[-1]:
                if found.group() != "\n":
                    return None  # nothing before it
            else:
                commands.append([])
            joined = found.group() not in (";", "\n")
        elif found := HARMLESS_REDIRECTION.match(line, position):
            if not commands[-1] or (position and line[position - 1] not in " \t"):
                return None
        elif not (found := BLANK.match(line, position)):
            word, position = _word(line, position)
            if word is None:
                return None
            commands[-1].append(word)
            joined = False
            continue
        position = found.end()
    if not commands[-1]:
        commands.pop()
    return commands if commands and not joined else None


def _word(line: str, begin: int) -> tuple[Word | None, int]:
    """The word that begins here, and where it ends; None where it is not plain."""
    text, position, plain = "", begin, True
    while position < len(line):
        if found := PLAIN.match(line, position):
            text += found.group()
        elif found := SINGLE_QUOTED.match(line, position) or DOUBLE_QUOTED.match(line, position):
            text, plain = text + found.group()[1:-1], False
        elif (found := PATTERN.match(line, position)) and text and text[0] != "-":
            text, plain = text + found.group(), False
        else:
            break
        position = found.end()
    if position == begin or (position < len(line) and line[position] not in " \t\n;|&"):
        return None, begin
    if position < len(line) and line[position] == "&" and not line.startswith("&&", position):
        return None, begin
    word = Word(text)
    word.plain = plain
    return word, position


# The prefixes of a command: what a yes that reaches beyond this one call would allow.

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


RUN = "run:"
CATEGORY_RULES = {
    "write": "changes of the project's files",
    "protected": "changes of files that other programs trust (git, hooks, environments, editors, tools)",
}
"""Rules for whole categories. There is none for all commands: that is for one invocation to say (`--yes-to run`)."""
LONGEST_RULE = 200


def rules_for_command(command: str) -> tuple[str, ...] | None:
    """The rules that together allow a command; None where nothing beyond this one call can be allowed."""
    prefixes = prefixes_of(command)
    return None if prefixes is None else tuple(dict.fromkeys(f"{RUN}{prefix}" for prefix in prefixes))


def rule_named(text: str) -> str:
    """The rule that a user names: a category, or a command's prefix with or without `run:`.

    Raises:
        InvalidInput: it is none, or reaches further than its own words say.
    """
    name = " ".join(text.split())
    if name in CATEGORY_RULES:
        return name
    if name in ("run", "run:"):
        raise InvalidInput(
            "Commands are allowed by their prefix, never all of them.",
            hint="Name one, such as 'pytest' or 'git commit'; --yes-to run allows all in the sandbox for one message.",
        )
    prefix = name.removeprefix(RUN)
    rules = rules_for_command(prefix) if len(prefix) <= LONGEST_RULE else None
    if rules is None or len(rules) != 1:
        raise InvalidInput(
            f"{text!r} is not a prefix of commands.",
            hint="It is a program, or one with its sub-command: pytest, git commit.",
        )
    if rules[0] != f"{RUN}{prefix}":
        raise InvalidInput(
            f"{text!r} says more than a prefix does.", hint=f"What can be allowed is {rules[0].removeprefix(RUN)!r}."
        )
    return rules[0]


def shown_rule(rule: str) -> str:
    """The rule, as people read it."""
    if rule == "run":
        return "every command (an older permission, which is not heeded any more)"
    return f"{rule.removeprefix(RUN)} …" if rule.startswith(RUN) else CATEGORY_RULES.get(rule, rule)


def offered(details: Mapping[str, Any]) -> str:
    """What a yes for the run or for good would allow at a gate, as people read it; nothing where it would not hold."""
    rules: Iterable[str] = details.get("allows") or ()
    return ", ".join(shown_rule(rule) for rule in rules)
