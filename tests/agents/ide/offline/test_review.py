"""QA by rules: only what can be proved."""

import json
from typing import Any

from loopwright.agents.ide.contracts import QAReport
from loopwright.agents.ide.offline import PLAYBOOK
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.offline import OfflineRequest

READERS = ("index_read_file", "index_read_lines", "index_search_text")
CONFLICT = "<" * 7 + " HEAD"


def reviewed(*made: tuple[str, dict[str, Any], str], answer: str, files: dict[str, str], summary: str = "") -> QAReport:
    """The report on a run that made these calls; its files are read as they are given."""
    messages = [Message.system(f"[task: ide/qa_review]\n{summary}"), Message.user("do something")]
    for number, (name, arguments, result) in enumerate(made):
        call = ToolCall(id=f"c{number}", name=name, arguments=json.dumps(arguments))
        messages += [Message.assistant("", [call]), Message.tool(call.id, result)]
    messages.append(Message.assistant(answer))
    reply = PLAYBOOK.answer(OfflineRequest("ide/qa_review", messages, READERS))
    if reply.tool_calls:
        calls = [
            ToolCall(id=f"q{n}", name=name, arguments=json.dumps(dict(asked)))
            for n, (name, asked) in enumerate(reply.tool_calls)
        ]
        assert {call.name for call in calls} <= set(READERS)
        messages.append(Message.assistant("", calls))
        for call, (_, asked) in zip(calls, reply.tool_calls, strict=True):
            lines = files[asked["path"]].splitlines()
            messages.append(Message.tool(call.id, "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))))
        reply = PLAYBOOK.answer(OfflineRequest("ide/qa_review", messages, READERS))
    return QAReport.model_validate_json(reply.text)


def test_files_that_cannot_be_parsed_and_merge_marks_are_critical() -> None:
    report = reviewed(
        ("apply_patch", {"diff": "…"}, "Changed a.py (+1 −1)\nChanged b.txt (+1 −0)\nChanged c.json (+1 −1)"),
        answer="Changed a.py, b.txt and c.json.",
        files={"a.py": "x = 1\ndef broken(:\n", "b.txt": f"one\n{CONFLICT}\n", "c.json": "{]"},
    )
    found = {(each.file, each.line, each.severity) for each in report.findings}
    assert found == {("a.py", 2, "critical"), ("b.txt", 2, "critical"), ("c.json", 1, "critical")}
    assert "def broken(:" in next(each.evidence for each in report.findings if each.file == "a.py")
    assert report.missing_steps == ["No command was run after the files were changed."]


def test_failing_tests_are_found_where_they_fail_unless_a_later_run_repairs_them() -> None:
    failed = (
        "Error: [exit code 1, 0.2 s]\n_ test_a _\nFAILED t.py::test_a - assert 1 == 2\n1 failed, 2 passed in 0.01s\n"
    )
    run = ("run_command", {"command": "python3 -m pytest -q"}, failed)
    (finding,) = reviewed(run, answer="Done.", files={}).findings
    assert (finding.severity, finding.evidence) == ("major", "assert 1 == 2")
    repaired = ("run_command", {"command": "python3 -m pytest -q"}, "[exit code 0, 0.2 s]\n3 passed in 0.01s\n")
    assert reviewed(run, repaired, answer="Done.", files={}).findings == []


def test_a_change_that_the_answer_hides_is_told() -> None:
    report = reviewed(
        ("write_file", {"path": "a.py"}, "Created a.py (+1 −0)"), answer="Nothing changed.", files={"a.py": "x = 1\n"}
    )
    assert [(each.file, each.severity) for each in report.findings] == [("a.py", "minor")]


def test_a_call_that_was_refused_is_told() -> None:
    refused = "Error: The user did not allow apply_patch.\nDo not repeat it; find another way."
    report = reviewed(("apply_patch", {"diff": "x"}, refused), answer="All done!", files={})
    assert report.findings[0].evidence == "The user did not allow apply_patch."


def test_changes_that_were_folded_away_are_looked_at_too() -> None:
    summary = "\n## Summary of the earlier conversation\n- tool outputs: apply_patch(): Changed a.py (+1 −1)"
    report = reviewed(answer="Done.", files={"a.py": "x = (\n"}, summary=summary)
    assert [each.severity for each in report.findings] == ["critical"]


def test_a_clean_run_has_no_findings() -> None:
    report = reviewed(("index_read_file", {"path": "a.py"}, "1\tx = 1"), answer="x is 1.", files={})
    assert report.findings == []
    assert report.suggested_next_actions == []
