"""The first phase: what the graph holds, which business objects there are, how much is pending."""

import re
from collections.abc import Mapping

from loopwright.agents.jobs.offline.files import append, read_whole, write
from loopwright.agents.jobs.offline.outputs import counted
from loopwright.agents.jobs.offline.overviews import overview_paths, read_overviews
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.validator.objects import object_node
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import Wording, wording

FILE = "analysis/understanding.md"
GRAPH_TOTAL = re.compile(r"(?P<nodes>\d+) nodes, (?P<relationships>\d+) relationships")


def look_at_graph(view: View, facts: Mapping[str, str]) -> Work:
    """See what the graph holds before anything is added, and begin the file that says so."""
    schema, statistics = yield [call("get_database_schema"), call("count_graph_statistics")]
    text = wording(view.language)
    match = GRAPH_TOTAL.search(statistics.text)
    nodes, links = (match["nodes"], match["relationships"]) if match else ("?", "?")
    yield from write(FILE, text.say("understanding_head", nodes=nodes, relationships=links) + "\n")
    return text.say("note_graph" if schema.ok else "note_no_graph", nodes=nodes, file=FILE)


def bring_objects(view: View, facts: Mapping[str, str]) -> Work:
    """Make a node of each business object that the organisation's overview names."""
    text = wording(view.language)
    overview = yield from read_overviews(view)
    if not overview.known:
        return text.say("note_no_objects")
    paths = ", ".join(overview_paths(view))
    made = yield [object_node(each, source=paths) for each in overview.objects]
    return text.say("note_objects", made=sum(each.ok for each in made), named=len(overview.objects), paths=paths)


def read_rules(view: View, facts: Mapping[str, str]) -> Work:
    """Read the instructions: by their rules the verdicts are passed."""
    instructions = yield from read_whole("instructions.md")
    return wording(view.language).say("note_rules", lines=len((instructions or "").splitlines()))


def count_pending(view: View, facts: Mapping[str, str]) -> Work:
    """Count what waits, of all jobs."""
    text = wording(view.language)
    listed = yield from one(call("list_requirements", scope="all", limit=1))
    pending = counted(listed.text, "pending") + counted(listed.text, "validating")
    yield from append(FILE, ["", text.say("understanding_pending", pending=pending)])
    return text.say("note_pending", count=pending, file=FILE)


def complete(view: View, facts: Mapping[str, str]) -> Work:
    """Close the file with the way in which verdicts are passed."""
    text = wording(view.language)
    yield from append(FILE, ["", text.say("understanding_rules")])
    return text.say("note_understanding", file=FILE)


def pending_in(file: str, text: Wording) -> int:
    """The number that `count_pending` has written down."""
    pattern = re.escape(text.say("understanding_pending", pending="@")).replace("@", r"(?P<pending>\d+)")
    match = re.search(pattern, file)
    return int(match["pending"]) if match else 0
