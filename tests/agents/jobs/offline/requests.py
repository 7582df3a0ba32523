"""Requests as the offline model sees them: a job state in the prompt, and what was called since the phase began."""

import json
from collections.abc import Sequence
from typing import Any

from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.offline import OfflineRequest

TOOLS = [
    "todo_write",
    "todo_complete",
    "job_complete",
    "read_file",
    "write_file",
    "append_file",
    "list_files",
    "file_exists",
    "get_workspace_summary",
    "get_document_info",
    "extract_document_text",
    "chunk_document",
    "identify_requirement_candidates",
    "web_search",
    "cite_document",
    "list_sources",
    "get_citation",
    "add_requirement",
    "list_requirements",
    "next_requirements",
    "update_requirement",
    "find_similar_requirements",
    "create_requirement_node",
    "validate_schema_compliance",
]


def state(kind: str = "tactical", **more: Any) -> dict[str, Any]:
    """A job state as the prompts show it."""
    return {
        "job_id": "job",
        "job_type": "creator",
        "language": "en",
        "phase_number": 2,
        "phase_kind": kind,
        "phase_title": "",
        "earlier_phases": [],
        "todos": [{"id": 1, "content": "Do it"}],
        "min_todos": 5,
        "max_todos": 20,
        "documents": ["documents/a.pdf"],
        **more,
    }


def request(
    job: dict[str, Any],
    exchanges: Sequence[Sequence[tuple[str, dict[str, Any], str]]] = (),
    *,
    tools: Sequence[str] = TOOLS,
    below: str = "",
) -> OfflineRequest:
    """A request; each exchange is one answer of the model: calls with their arguments and results."""
    prompt = f"{job['phase_kind']}_system"
    todos = job["todos"]
    done = [{"id": each["id"], "notes": each.get("notes", "")} for each in todos if each.get("status") == "completed"]
    told = {**{name: value for name, value in job.items() if name != "todos"}, **({"done": done} if done else {})}
    system = f"[task: jobs/{prompt}]\nYou work.\n<job_state>{json.dumps(told)}</job_state>\n{below}"
    listed = [f"- [ ] {each['id']}. {each['content']}" for each in todos]
    messages = [Message.system(system), Message.user("\n".join(["Phase 2 begins", "", "Todos:", *listed]))]
    for number, calls in enumerate(exchanges):
        made = [
            ToolCall(id=f"c{number}-{place}", name=name, arguments=json.dumps(arguments))
            for place, (name, arguments, _) in enumerate(calls)
        ]
        messages.append(Message.assistant("", made))
        messages += [Message.tool(call.id, result) for call, (_, _, result) in zip(made, calls, strict=True)]
    return OfflineRequest(task=f"jobs/{prompt}", messages=messages, tools=tuple(tools))
