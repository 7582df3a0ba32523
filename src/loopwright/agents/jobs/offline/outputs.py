"""What tools say in words, read back: identifiers and counts."""

import re
from collections import Counter
from collections.abc import Sequence

from loopwright.agents.jobs.offline.view import Result

CITED = re.compile(r"^(?P<id>CIT-\d+): ", re.MULTILINE)
NOT_CITED = re.compile(r"^Not cited: “(?P<start>.*?)…?”: ", re.MULTILINE)
REQUIREMENT_ID = re.compile(r"\b[0-9a-f]{32}\b")
REQUIREMENTS = re.compile(r"^Requirements added: (?P<counts>.*)$", re.MULTILINE)
COMPARED = 60
"""Characters by which a quote that was refused is recognised; answers show the beginning of each."""


def cited_ids(result: Result, quotes: Sequence[str]) -> list[str | None]:
    """The citation of each quote, None where it was refused. Citations are told in the order of the quotes."""
    made = iter(match["id"] for match in CITED.finditer(result.text))
    refused = Counter(_start(match["start"]) for match in NOT_CITED.finditer(result.text))
    ids: list[str | None] = []
    for quote in quotes:
        start = _start(quote)
        if refused[start]:
            refused[start] -= 1
            ids.append(None)
        else:
            ids.append(next(made, None))
    return ids


def added_ids(result: Result) -> list[str]:
    """The ids of requirements in an answer, each once, in order."""
    return list(dict.fromkeys(REQUIREMENT_ID.findall(result.text))) if result.ok else []


def requirement_count(summary: str) -> int:
    """How many requirements the job has added, by `get_workspace_summary`."""
    match = REQUIREMENTS.search(summary)
    return sum(int(number) for number in re.findall(r"\d+", match["counts"])) if match else 0


def counted(text: str, status: str) -> int:
    """How many requirements have this status, by the first line of `list_requirements`."""
    match = re.search(rf"\b(\d+) {re.escape(status)}\b", text.partition("\n")[0])
    return int(match[1]) if match else 0


def _start(quote: str) -> str:
    return " ".join(quote.split())[:COMPARED]
