"""The first look around: which files there are, what the documents are like."""

from loopwright.agents.jobs.offline.files import peek, read_whole, write
from loopwright.agents.jobs.offline.lexicon import objects_in
from loopwright.agents.jobs.offline.memory_file import MemoryFile
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.signs import kind_of, language_of
from loopwright.agents.jobs.offline.strategic.summing_up import MEMORY
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

READABLE = (".pdf", ".md", ".txt", ".html", ".htm")
MOST_DOCUMENTS = 20


def explore(view: View, trade: Trade) -> Work:
    """List the files, look into each document, and write what was found to workspace.md."""
    text = wording(view.language)
    listing = yield from one(call("list_files"))
    memory = MemoryFile.parse((yield from read_whole(MEMORY)) or "")
    lines, objects = [], list[str]()
    for path in view.documents[:MOST_DOCUMENTS]:
        start = (yield from peek(path)) if path.lower().endswith(READABLE) else None
        if start is None:
            lines.append(text.say("document_unread", path=path))
            continue
        lines.append(
            text.say(
                "document_is",
                path=path,
                language=text.say(f"language_{language_of(start)}"),
                kind=text.say(f"kind_{kind_of(start)}"),
            )
        )
        objects += [each.name for each in objects_in(start)]
    if len(view.documents) > MOST_DOCUMENTS:
        lines.append(text.say("documents_more", count=len(view.documents) - MOST_DOCUMENTS))
    memory = memory.with_lines(text.say("heading_status"), [text.say("status_begun", job=view.job_type)], replace=True)
    memory = memory.with_lines(text.say("heading_notes"), lines or [text.say("no_documents")])
    memory = memory.with_lines(text.say("heading_notes"), [text.say("tools_are", tools=", ".join(sorted(view.tools)))])
    if objects:
        memory = memory.with_lines(text.say("heading_entities"), [f"{name}" for name in dict.fromkeys(objects)])
    yield from write(MEMORY, memory.render())
    return text.say("note_explored", documents=len(view.documents), files=len(listing.text.splitlines()), file=MEMORY)
