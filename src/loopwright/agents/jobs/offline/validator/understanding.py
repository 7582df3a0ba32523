"""The first phase: what the graph holds, which business objects there are, how much is pending."""

import re
from collections.abc import Mapping

from loopwright.agents.jobs.offline.job_rules import View, Work, counted, records, wording
from loopwright.agents.jobs.offline.lexicon import (
    BusinessObject,
    append,
    overview_paths,
    read_overviews,
    read_whole,
    write,
)
from loopwright.kits.dialogue import Call, Wording, call, one

# Business objects as nodes of the graph.


def object_node(item: BusinessObject, source: str | None = None) -> Call:
    """The call that puts a business object into the graph."""
    aliases = [name for name in item.names if name != item.name]
    return call(
        "create_entity_node",
        kind="BusinessObject",
        name=item.name,
        aliases=aliases,
        description=item.description,
        source=source,
    )


FILE = "analysis/understanding.md"
GRAPH_TOTAL = re.compile(r"(?P<nodes>\d+) nodes, (?P<relationships>\d+) relationships")


def look_at_graph(view: View, facts: Mapping[str, str]) -> Work:
    """See what the graph holds before anything is added, and begin the file that says so."""
    schema, statistics = yield [call("get_database_schema"), call("count_graph_statistics")]
    text = wording(view.language)
    match = GRAPH_TOTAL.search(statistics.text)
    nodes, links = (match["nodes"], match["relationships"]) if match else ("?", "?")
    yield from write(FILE, text.say("understanding_head", nodes=nodes, relationships=links) + "\n")
    return text.say("note_no_graph" if schema.failed else "note_graph", nodes=nodes, file=FILE)


def bring_objects(view: View, facts: Mapping[str, str]) -> Work:
    """Make a node of each business object that the organisation's overview names."""
    text = wording(view.language)
    overview = yield from read_overviews(view)
    if not overview.known:
        return text.say("note_no_objects")
    paths = ", ".join(overview_paths(view))
    made = yield [object_node(each, source=paths) for each in overview.objects]
    return text.say(
        "note_objects", made=sum(not each.failed for each in made), named=len(overview.objects), paths=paths
    )


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


# After the verdicts: the graph is checked and counted, and what nothing fulfils is listed.

OPEN = "analysis/fulfilment.md"
SHOWN = 100
OPEN_QUERY = (
    "MATCH (n:Requirement) WHERE n.complianceStatus = 'open' "
    "RETURN n.rid AS rid, n.name AS name, n.priority AS priority ORDER BY n.rid"
)
STATUSES = ("pending", "validating", "integrated", "rejected", "failed")


def check_schema(view: View, facts: Mapping[str, str]) -> Work:
    """Run all checks of the schema and tell what they found."""
    result = yield from one(call("validate_schema_compliance"))
    found = result.text.splitlines()[0][:300] if result.text else "?"
    return wording(view.language).say("note_no_compliance" if result.failed else "note_compliance", found=found)


def count_graph(view: View, facts: Mapping[str, str]) -> Work:
    """Count the graph as it is now."""
    result = yield from one(call("count_graph_statistics"))
    match = GRAPH_TOTAL.search(result.text)
    nodes, links = (match["nodes"], match["relationships"]) if match else ("?", "?")
    return wording(view.language).say("note_statistics", nodes=nodes, relationships=links)


def count_verdicts(view: View, facts: Mapping[str, str]) -> Work:
    """Count what this job has settled, and what is left of all."""
    settled, everything = yield [
        call("list_requirements", scope="settled", limit=1),
        call("list_requirements", scope="all", limit=1),
    ]
    counts = {status: counted(settled.text, status) for status in STATUSES[2:]}
    left = counted(everything.text, "pending") + counted(everything.text, "validating")
    return wording(view.language).say("note_counts", **counts, left=left)


def list_open(view: View, facts: Mapping[str, str]) -> Work:
    """List the requirements that no object fulfils so far: rules cannot judge fulfilment."""
    text = wording(view.language)
    result = yield from one(call("execute_cypher_query", query=OPEN_QUERY, limit=SHOWN))
    rows = records(result.text)
    match = re.match(r"(?P<rows>\d+)", result.text)
    total = int(match["rows"]) if match and not result.failed else len(rows)
    lines = [text.say("open_head", total=total), ""]
    lines += [f"- {row.get('rid')} ({row.get('priority')}): {row.get('name')}" for row in rows]
    yield from write(OPEN, "\n".join(lines) + "\n")
    return text.say("note_open", total=total, file=OPEN)
