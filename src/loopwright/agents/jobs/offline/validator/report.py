"""The end of the Validator's work: a report for the reader, and what the job is closed with."""

from collections.abc import Mapping

from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.outputs import counted
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.trade import Completion
from loopwright.agents.jobs.offline.validator.checking import OPEN, STATUSES
from loopwright.agents.jobs.offline.validator.understanding import FILE as UNDERSTANDING
from loopwright.agents.jobs.offline.validator.validating import RELEVANCE
from loopwright.agents.jobs.offline.view import Result, View
from loopwright.agents.jobs.offline.wording import Wording, wording

FILE = "output/validation_report.md"
CONFIDENCE = 0.7
"""Duplicates and evidence are measured; relevance is only guessed at by names, and fulfilment is left open."""
EACH = 20


def write_report(view: View, facts: Mapping[str, str]) -> Work:
    """Write the report: verdicts, duplicates with their originals, the state of the graph."""
    text = wording(view.language)
    settled, schema, graph = yield [
        call("list_requirements", scope="settled", limit=1),
        call("validate_schema_compliance"),
        call("count_graph_statistics"),
    ]
    rows = _table(text, (yield from read_whole(RELEVANCE)) or "")
    lines = [
        text.say("report_head"),
        "",
        *(f"- {status}: {counted(settled.text, status)}" for status in STATUSES[2:]),
        "",
        *(f"- {_first_line(each)}" for each in (graph, schema)),
        "",
        text.say("report_table"),
        *rows,
        "",
        text.say("validator_limits"),
    ]
    yield from write(FILE, "\n".join(lines) + "\n")
    return text.say("note_report", file=FILE, rows=len(rows))


def close(view: View) -> Reading[Completion]:
    """Close with what the report says."""
    text = wording(view.language)
    report = (yield from read_whole(FILE)) or ""
    files = yield from one(call("list_files"))
    counts = {status: _listed(report, status) for status in STATUSES[2:]}
    total = sum(counts.values())
    deliverables = tuple(path for path in (FILE, RELEVANCE, OPEN, UNDERSTANDING) if path in files.text)
    confidence = CONFIDENCE if total and not counts["failed"] else 0.4
    summary = text.say("validator_done", total=total, **counts)
    return Completion(summary, confidence, deliverables, text.say("validator_limits"))


def _first_line(result: Result) -> str:
    return result.text.partition("\n")[0][:300]


def _table(text: Wording, relevance: str) -> list[str]:
    """The rows of rejected and failed requirements; the integrated ones stand in the graph."""
    return [line for line in relevance.splitlines() if line.startswith("| ") and "| integrated |" not in line]


def _listed(report: str, status: str) -> int:
    line = next((line for line in report.splitlines() if line.startswith(f"- {status}: ")), "")
    number = line.rpartition(" ")[2]
    return int(number) if number.isdigit() else 0
