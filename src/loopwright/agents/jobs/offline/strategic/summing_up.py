"""What has happened: the last phase in a few lines, and what of it belongs into workspace.md."""

from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.memory_file import MemoryFile
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.strategic.archive import read_phase
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

MEMORY = "workspace.md"
MOST_NOTE = 300
MOST_SUMMARY = 3_800


def sum_up(view: View, trade: Trade) -> Work:
    """Sum up the phase that has ended by the notes of its todos, and see which files there are."""
    phase = yield from read_phase(view)
    yield from one(call("list_files"))
    text = wording(view.language)
    lines = [text.say("phase_was", title=_title(view), todos=len(phase))]
    lines += [f"- {todo.notes[:MOST_NOTE]}" for todo in phase if todo.notes]
    return "\n".join(lines)[:MOST_SUMMARY]


def update_memory(view: View, trade: Trade) -> Work:
    """Keep what later phases need to know: what was reached, in the words of the notes."""
    phase = yield from read_phase(view)
    memory = MemoryFile.parse((yield from read_whole(MEMORY)) or "")
    text = wording(view.language)
    earlier = len(view.state.get("earlier_phases") or ())
    memory = memory.with_lines(
        text.say("heading_status"), [text.say("status_after", phases=earlier, title=_title(view))], replace=True
    )
    notes = [todo.notes.splitlines()[0][:MOST_NOTE] for todo in phase if todo.notes.strip()]
    written = yield from write(MEMORY, memory.with_lines(text.say("heading_reached"), notes).render())
    if written.ok:
        return text.say("note_memory", file=MEMORY, lines=len(notes))
    yield from write(MEMORY, memory.render())
    return text.say("note_memory_short", file=MEMORY)


def _title(view: View) -> str:
    phase = view.last_tactical
    return str(phase.get("title") or "") if phase else ""
