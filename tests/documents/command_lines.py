"""Parses command lines of the documents against the commands that there are; nothing is executed."""

import enum
import re
import shlex
import tomllib
from typing import Any, Literal, get_args, get_origin

import click
from click.core import UNSET

from docs.build_site import program_of
from loopwright.cli.main import app
from tests.shape.source import ROOT

VERBS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
OTHERS = {"cd", "curl", "echo", "export", "git", "pytest", "python"}
"""Programs that are not ours: their words are not looked at."""


def commands_of(body: str) -> list[list[str]]:
    """The commands of a shell block, each as its words, without comments and settings before it."""
    lines = re.sub(r"\\\n\s*", " ", body).splitlines()
    split = [shlex.split(part, comments=True) for line in lines for part in re.split(r" && | \| ", line)]
    return [words for each in split if (words := _without_settings(each))]


def _without_settings(words: list[str]) -> list[str]:
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    return words


def problem_of(words: list[str]) -> str | None:
    """What is wrong with a command, or None."""
    program, *rest = words
    match program.removeprefix(".venv/bin/"):
        case "loopwright":
            return problem_of_loopwright(rest)
        case "make":
            unknown = [word for word in rest if "=" not in word and word not in VERBS]
            return f"make has no {unknown[0]}" if unknown else None
        case "pip":
            named = [name for word in rest for name in re.findall(r"loopwright\[([\w,-]+)\]", word)]
            unknown = [extra for names in named for extra in names.split(",") if extra not in EXTRAS]
            return f"there is no extra {unknown[0]}" if unknown else None
        case other:
            return None if other in OTHERS else f"{other} is not known; is it a command?"


def problem_of_loopwright(words: list[str]) -> str | None:
    """What is wrong with the words after `loopwright`: a command, option, choice or argument that does not exist."""
    command, path = program_of(app), ["loopwright"]
    while hasattr(command, "commands") or isinstance(command, click.Group):
        if words and words[0] in ("--help", "--version"):
            return None
        ctx = command.make_context(path[-1], list(words), resilient_parsing=True)
        rest = [*ctx._protected_args, *ctx.args]
        if not rest:
            return (
                _problem_of_options(command, words)
                if command.invoke_without_command
                else f"{' '.join(path)} needs a command"
            )
        found = command.get_command(ctx, rest[0])
        if found is None:
            return f"{' '.join(path)} has no {rest[0]}"
        command, words = program_of(found), rest[1:]
        path.append(rest[0])
    return _problem_of_options(command, words)


def _problem_of_options(command: Any, words: list[str]) -> str | None:
    if "--help" in words:
        return None
    ctx = command.context_class(command, info_name=command.name, **command.context_settings)
    try:
        given, left, _ = command.make_parser(ctx).parse_args(list(words))
    except Exception as error:  # Typer has a Click of its own, and so exceptions of its own
        return f"{command.name}: {getattr(error, 'message', error)}"
    if left and not ctx.allow_extra_args:
        return f"{command.name}: {left[0]} is one argument too many"
    for param in command.params:
        value = given.get(param.name)
        if param.param_type_name == "argument" and param.required and (not value or value is UNSET):
            return f"{command.name}: {param.name} is missing"
        choices = _choices_of(param)
        if choices and isinstance(value, str) and value not in choices:
            return f"{command.name}: {param.name} is one of {', '.join(choices)}, not {value}"
    return None


def _choices_of(param: Any) -> list[str]:
    """The values that a Click parameter or one of Typer's takes; empty where it takes any."""
    if hasattr(param, "type_descriptor"):
        kind = param.type_descriptor.annotation
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return [str(each.value) for each in kind]
        return [str(each) for each in get_args(kind)] if get_origin(kind) is Literal else []
    return [str(getattr(each, "value", each)) for each in getattr(param.type, "choices", ())]
