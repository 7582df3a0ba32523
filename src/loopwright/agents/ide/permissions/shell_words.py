"""The simple commands of a shell command line, as far as they are plain; what is not plain is not read at all.

This is no shell grammar. Whatever would make the shell do more than start the named programs one after the other with
the given words (substitution, expansion, assignment, redirection to a file, grouping, background) gives None.
"""

import re

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
