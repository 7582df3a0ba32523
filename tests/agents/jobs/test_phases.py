"""Phases: what a job goes through, and what is refused on the way, so that the model can go on and does."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.jobs import END, done, play, strategic, tactical, todos


async def test_a_job_alternates_until_it_is_complete(tmp_path: Path) -> None:
    played = await play(tmp_path, [*strategic(5), *tactical(5), done(1, 2, 3), END])
    assert played.state.status == "completed", played.events[-1].payload
    assert played.stages() == [
        "strategic",
        "to_tactical",
        "tactical",
        "to_strategic",
        "strategic",
        "finishing",
        "complete",
    ]
    result = played.events[-1].payload["result"]
    assert (result["job_id"], result["status"], result["phases"]) == (played.job_id, "completed", 3)
    assert json.loads(played.read("output/job_completion.json"))["summary"] == "All is done."
    archived = yaml.safe_load(played.read("archive/phase_2.yaml"))
    assert [todo["status"] for todo in archived["todos"]] == ["completed"] * 5
    assert archived["todos"][4]["notes"] == "Done."
    assert not (played.workspace / "todos.yaml").exists()


async def test_messages_never_cross_a_phase(tmp_path: Path) -> None:
    script = [[("write_file", {"path": "workspace.md", "content": "# Memory of the first phase"})]]
    played = await play(tmp_path, [*script, *strategic(5), *tactical(5), done(1, 2, 3), END])
    first_of_tactical = next(r for r in played.model.requests if "TACTICAL" in r.messages[0].content)
    assert [message.role for message in first_of_tactical.messages] == ["system", "user"]
    assert "Do step number 5" in first_of_tactical.messages[1].content
    assert "Memory of the first phase" in first_of_tactical.messages[0].content
    assert "Do what the order says." in first_of_tactical.messages[0].content, "instructions are pinned"
    for request in played.model.requests:
        in_phase = [m for m in request.messages if m.role == "user" and m.content.startswith("Phase ")]
        assert len(in_phase) == 1


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (("todo_write", todos(4)), "Expected 5-20 todos, got 4"),
        (("todo_write", todos(21)), "Expected 5-20 todos, got 21"),
        (("todo_write", {"todos": [{"id": 1, "content": "Twice"}] * 5}), "[1] are given more than once"),
        (("todo_write", {"todos": [{"id": True, "content": "No number"}] * 5}), "not true or false"),
        (("todo_write", {"todos": [{"id": n} for n in range(5)]}), "content"),
        (("todo_write", {"todos": "not a list"}), "not a JSON list"),
        (("write_file", {"path": "todos.yaml", "content": "todos: [unclosed"}), None),
        (("write_file", {"path": "../outside.md", "content": "x"}), "climbs up"),
        (("write_file", {"path": "/etc/hosts", "content": "x"}), "absolute"),
        (("add_requirement", {"text": "The system must not."}), "not available in stage 'strategic'"),
        (("web_search", {"query": "x"}), "not available in stage 'strategic'"),
    ],
)
async def test_a_strategic_phase_refuses_and_goes_on(
    tmp_path: Path, bad: tuple[str, dict[str, Any]], told: str | None
) -> None:
    played = await play(tmp_path, [[bad], *strategic(5), *tactical(5), done(1, 2, 3), END])
    assert played.state.status == "completed", played.events[-1].payload
    if told is not None:
        refused = played.results(bad[0])[0]
        assert not refused["success"]
        assert told in refused["output"]


@pytest.mark.parametrize("bad", [END[0], ("todo_write", todos(5))])  # type: ignore[index]
async def test_a_tactical_phase_cannot_end_the_job_or_plan(tmp_path: Path, bad: tuple[str, dict[str, Any]]) -> None:
    played = await play(tmp_path, [*strategic(5), [bad], *tactical(5), done(1, 2, 3), END])
    assert played.state.status == "completed", played.events[-1].payload
    refused = [r for r in played.results(bad[0]) if not r["success"]]
    assert "not available in stage 'tactical'" in refused[0]["output"]
    assert played.job.phase.number == 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "todos.yaml not found"),
        ("todos: [unclosed", "not valid YAML"),
        ("tasks: []", "must have a 'todos' list"),
        ("todos: []", "Expected 5-20 todos, got 0"),
        ("a: &x [1]\ntodos: *x", "aliases"),
        (yaml.safe_dump(todos(21)), "got 21"),
    ],
)
async def test_a_refused_flip_answers_the_real_call_and_leaves_the_todo_open(
    tmp_path: Path, content: str | None, told: str
) -> None:
    write = [[("write_file", {"path": "todos.yaml", "content": content})]] if content is not None else []
    script = [*write, done(1, 2, 3), done(4), [("todo_write", todos(5))], done(4), *tactical(5), done(1, 2, 3), END]
    played = await play(tmp_path, script)
    assert played.state.status == "completed", played.events[-1].payload
    refused = next(r for r in played.results("todo_complete") if not r["success"])
    assert "Phase transition rejected" in refused["output"]
    assert told in refused["output"]
    assert "Todo 4 stays open" in refused["output"]
    for request in played.model.requests:
        known = {call.id for message in request.messages for call in message.tool_calls}
        assert all(m.tool_call_id in known for m in request.messages if m.role == "tool")


async def test_a_stale_todo_file_cannot_pass_the_gate_twice(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "todos.yaml").write_text(yaml.safe_dump(todos(5)))
    script = [done(1, 2, 3), done(4), *strategic(5)[:1], done(4), *tactical(5), done(1, 2, 3), done(4), END]
    played = await play(tmp_path, script)
    refused = [r["output"] for r in played.results("todo_complete") if not r["success"]]
    assert len(refused) == 2, "neither the file found at the start nor the consumed one passes"
    assert all("todos.yaml not found" in output for output in refused)
    assert (played.workspace / "archive/todos_found_at_start.yaml").exists()
    assert (played.workspace / "archive/todos_of_phase_2.yaml").exists()


async def test_a_list_as_json_text_is_taken(tmp_path: Path) -> None:
    as_text = {**todos(5), "todos": json.dumps(todos(5)["todos"])}
    played = await play(tmp_path, [[("todo_write", as_text)], done(1, 2, 3), done(4), *tactical(5), done(1, 2, 3), END])
    assert played.state.status == "completed"


async def test_job_complete_needs_no_next_phase(tmp_path: Path) -> None:
    played = await play(tmp_path, [*strategic(5), *tactical(5), END])
    assert played.state.status == "completed"
    assert played.job.completion is not None


async def test_words_do_not_end_a_phase(tmp_path: Path) -> None:
    played = await play(tmp_path, ["I am done with everything.", *strategic(5), *tactical(5), END])
    assert played.state.status == "completed"
    told = [e.payload["text"] for e in played.events if e.type == "controller_message"]
    assert "goes on until its todos are done" in told[0]


async def test_small_jobs_may_have_fewer_todos_for_a_reason(tmp_path: Path) -> None:
    settings = {"min_todos": 1, "max_todos": 3, "reason": "one file only"}
    played = await play(tmp_path, [*strategic(1), *tactical(1), END], phase_settings=settings)
    assert played.state.status == "completed"


@pytest.mark.parametrize(
    ("witness", "told"),
    [
        ({"kind": "file", "path": "output/report.md"}, "does not exist"),
        ({"kind": "query", "query": "requirements", "at_least": 1}, "gives 0"),
    ],
)
async def test_a_todo_with_a_witness_waits_for_it(tmp_path: Path, witness: dict[str, Any], told: str) -> None:
    plan = todos(5)
    plan["todos"][0]["witness"] = witness
    prove = [[("write_file", {"path": "output/report.md", "content": "Here it is."})]]
    met = witness["kind"] == "file"
    script = [
        [("todo_write", plan)],
        done(1, 2, 3),
        done(4),
        done(1),
        *(prove if met else []),
        *([done(1)] if met else []),
    ]
    if not met:
        played = await play(tmp_path, script)
        assert played.job.phase.todos[0].status == "pending"
    else:
        played = await play(tmp_path, [*script, done(2), done(3), done(4), done(5), END])
        assert played.state.status == "completed"
    refused = [r["output"] for r in played.results("todo_complete") if not r["success"]]
    assert told in refused[0]


async def test_a_command_witness_must_be_allowed_by_the_config(tmp_path: Path) -> None:
    plan = todos(5)
    plan["todos"][0]["witness"] = {"kind": "command", "command": "rm -rf ."}
    allowed = todos(5)
    allowed["todos"][0]["witness"] = {"kind": "command", "command": "test -e go.txt"}
    script = [
        [("todo_write", plan)],
        [("todo_write", allowed)],
        done(1, 2, 3),
        done(4),
        done(1),
        [("write_file", {"path": "go.txt", "content": "go"})],
        *tactical(5),
        END,
    ]
    played = await play(tmp_path, script, witness_commands=["test -e go.txt"])
    assert played.state.status == "completed", played.events[-1].payload
    assert "does not allow" in played.results("todo_write")[0]["output"]
    assert "ended with 1, not 0" in next(r for r in played.results("todo_complete") if not r["success"])["output"]


async def test_orphans_and_unserved_goals_are_shown_at_the_flip(tmp_path: Path) -> None:
    plan = "# Plan\n- [ ] G1: Read the document\n- [ ] G2: Report\n- [x] G3: Begin\n"
    first = [("write_file", {"path": "main_plan.md", "content": plan}), ("todo_write", todos(5, serves="G1"))]
    script = [
        first,
        done(1, 2, 3),
        done(4),
        [("write_file", {"path": "output/secret.md", "content": "Nobody asked for it."})],
        *tactical(5),
        END,
    ]
    played = await play(tmp_path, script)
    told = played.model.requests[-1].messages[1].content
    assert "output/secret.md" in told
    assert "G2: Report" in told
    assert "G1" not in told
    assert played.job.phases[-1].orphans == ["output/secret.md"]


async def test_a_completed_todo_can_be_opened_again(tmp_path: Path) -> None:
    again = [[("todo_rewind", {"todo_id": 1, "reason": "forgot a page"})]]
    rest = [done(2), done(3), done(4), done(5), done(1, notes="")]
    played = await play(tmp_path, [*strategic(5), done(1), *again, *rest, END])
    assert played.state.status == "completed"
    assert played.job.phases[1].todos[0].notes == "Done.\nOpened again: forgot a page"


async def test_the_config_names_the_model(tmp_path: Path) -> None:
    played = await play(tmp_path, [*strategic(5), *tactical(5), END], llm={"model": "careful-1"})
    assert played.state.status == "completed"
    assert {request.model for request in played.model.requests} == {"careful-1"}


async def test_the_end_tells_what_was_measured_beside_what_the_model_says(tmp_path: Path) -> None:
    claim = {"summary": "All 40 requirements are stored.", "deliverables": ["instructions.md", "output/missing.md"]}
    end = [("job_complete", claim)]
    played = await play(tmp_path, [*strategic(5), *tactical(5), done(1, 2, 3), end])
    said = played.events[-1].payload["text"]
    assert "Measured: 0 requirements of this job are stored; 1 of 2 named files are there." in said
    assert "Not there: output/missing.md." in said
