"""Rules: what the user allows beyond one call. `write`, `protected`, or `run:PREFIX` for commands of one prefix."""

from collections.abc import Iterable, Mapping
from typing import Any

from loopwright.agents.ide.permissions.commands import prefixes_of
from loopwright.kernel.errors import InvalidInput

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
            f"{text!r} is no prefix of commands.",
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
