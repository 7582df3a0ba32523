"""After the verdicts: the graph is checked and counted, and what nothing fulfils is listed."""

import re
from collections.abc import Mapping

from loopwright.agents.jobs.offline.files import write
from loopwright.agents.jobs.offline.outputs import counted
from loopwright.agents.jobs.offline.records import records
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.validator.understanding import GRAPH_TOTAL
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

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
    return wording(view.language).say("note_compliance" if result.ok else "note_no_compliance", found=found)


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
    total = int(match["rows"]) if match and result.ok else len(rows)
    lines = [text.say("open_head", total=total), ""]
    lines += [f"- {row.get('rid')} ({row.get('priority')}): {row.get('name')}" for row in rows]
    yield from write(OPEN, "\n".join(lines) + "\n")
    return text.say("note_open", total=total, file=OPEN)
