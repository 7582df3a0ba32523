"""The end of the Creator's work: a summary for the reader, and what the job is closed with."""

from collections.abc import Mapping

from loopwright.agents.jobs.offline.creator.analysis import FILE as ANALYSIS
from loopwright.agents.jobs.offline.creator.analysis import NOTES, RELATIONS, TABLE
from loopwright.agents.jobs.offline.creator.consolidation import OPEN_POINTS
from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.memory_file import MemoryFile
from loopwright.agents.jobs.offline.outputs import requirement_count
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.trade import Completion
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

SUMMARY = "output/summary.md"
DELIVERABLES = (TABLE, RELATIONS, OPEN_POINTS, ANALYSIS, NOTES)
CONFIDENCE = 0.75
"""Each citation is verified; whether each passage is an obligation, rules judge right about four times in five."""


def summarise(view: View, facts: Mapping[str, str]) -> Work:
    """Write the summary: what was found, how, and what rules cannot see."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    memory = MemoryFile.parse((yield from read_whole("workspace.md")) or "")
    reached = dict(memory.sections).get(text.say("heading_reached"), ())
    stored = requirement_count(summary.text)
    lines = [
        text.say("summary_head", requirements=stored, documents=", ".join(view.documents) or "-"),
        "",
        *reached,
        *(f"- {todo.notes.splitlines()[0]}" for todo in view.todos if todo.done and todo.notes),
        "",
        text.say("summary_limits"),
        "",
        *(f"- {path}" for path in DELIVERABLES),
    ]
    yield from write(SUMMARY, "\n".join(lines) + "\n")
    return text.say("note_summary", file=SUMMARY, requirements=stored)


def close(view: View) -> Reading[Completion]:
    """Close with the number that the store has."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    files = yield from one(call("list_files", path="output"))
    stored = requirement_count(summary.text)
    done = "creator_done" if stored else "creator_found_nothing"
    return Completion(
        text.say(done, requirements=stored, documents=len(view.documents)),
        CONFIDENCE if stored else 0.3,
        tuple(path for path in (SUMMARY, *DELIVERABLES) if path in files.text),
        text.say("summary_limits"),
    )
