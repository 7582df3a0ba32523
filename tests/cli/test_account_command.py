"""`loopwright account read`: the statements of a message, for people and for programs."""

import json

from tests.support.command_line import CommandLine


def test_a_message_is_read_for_people(loopwright_command: CommandLine) -> None:
    """Each statement has a line, with its hard tokens."""
    shown = loopwright_command("account", "read", "Write a guide, at most 20 pages, not on Fridays").out
    assert [line.split(None, 1)[1] for line in shown.splitlines()] == [
        "Write a guide",
        "at most 20 pages  [at most] [20 pages]",
        "not on Fridays  [not] [Fridays]",
    ]


def test_a_message_is_read_for_programs(loopwright_command: CommandLine) -> None:
    """JSON lines carry the ranges of the message."""
    lines = loopwright_command("account", "read", "--json", "Write a guide by 3 May").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert [(entry["text"], entry["parts"], entry["hard"]) for entry in found] == [
        ("Write a guide", [[0, 13]], []),
        ("by 3 May", [[14, 22]], ["by", "3 May"]),
    ]
