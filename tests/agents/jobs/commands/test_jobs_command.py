"""`loopwright jobs`: begin, look at, resume and cancel jobs; bad input of each kind."""

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import jsonschema

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.usecases.documents import job_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from tests.support.application import settings_in
from tests.support.command_line import CommandLine
from tests.support.pages_model import Turn, call
from tests.support.scripts import VAGUE, one_page

LAST = {"type", "job_id", "status", "phases", "requirements", "workspace", "cost_usd", "steps"}
END = call("job_complete", summary="All is read.", deliverables=["output/a.md"], notes="")
GIVES_UP = [Turn(words="I am done.")] * 6
"""More words without a call than a phase lets pass: the run fails."""


def test_a_job_from_its_beginning_to_its_end(loopwright_command: CommandLine) -> None:
    """The last line, the workspace with the document, the list, the whole story."""
    Path("rules: 1.md").write_text("Keep it for ten years.")
    arguments = ["--document", "rules: 1.md", "--prompt", "Read it.", "--workspace", "ws", "--language", "de", "--json"]
    done = loopwright_command("jobs", "run", "creator", *arguments, script=[END])
    last = done.last
    assert set(last) >= LAST
    assert (last["type"], last["status"], last["phases"], last["requirements"]) == ("complete", "completed", 1, 0)
    workspace = Path(last["workspace"])
    assert workspace == (loopwright_command.folder / "ws").resolve()
    assert (workspace / "documents" / "rules_ 1.md").read_text() == "Keep it for ten years."
    instructions = (workspace / "instructions.md").read_text()
    assert instructions.startswith("# Anweisungen für den Creator")
    assert "Read it." in instructions
    job_id = last["job_id"]
    (listed,) = loopwright_command("jobs", "list", "--json").lines
    assert (listed["job_id"], listed["status"], listed["job_type"]) == (job_id, "completed", "creator")
    assert job_id in loopwright_command("jobs", "list").out
    shown = loopwright_command("jobs", "show", job_id, "--json").last
    assert shown["documents"] == ["documents/rules_ 1.md"]
    assert (shown["prompt"], shown["language"]) == ("Read it.", "de")
    assert shown["completion"]["summary"] == "All is read."
    assert [phase["kind"] for phase in shown["phases"]] == ["strategic"]
    assert len(shown["phases"][0]["todo_list"]) == 4
    words = loopwright_command("jobs", "show", job_id).out
    assert "Phase 1 (strategic)" in words
    assert "All is read." in words
    assert loopwright_command("jobs", "requirements", job_id, "--json").lines == []
    assert "is complete" in loopwright_command("jobs", "resume", job_id, code=2).err


def test_a_job_that_stopped_goes_on(loopwright_command: CommandLine) -> None:
    """A failed run and a cancelled one are followed by another in the same phase; people are told how."""
    failed = loopwright_command("jobs", "run", "creator", "--json", script=GIVES_UP, code=4).last
    job_id = failed["session_id"]
    assert loopwright_command("jobs", "list", "--json").lines[0]["status"] == "failed"
    again = loopwright_command("jobs", "resume", job_id, script=GIVES_UP, code=4)
    assert f"loopwright jobs resume {job_id}" in again.out
    assert loopwright_command("jobs", "cancel", job_id, "--json").last["status"] == "failed"
    done = loopwright_command("jobs", "resume", job_id, "--json", script=[END]).last
    assert (done["job_id"], done["status"]) == (job_id, "completed")
    assert len(loopwright_command("runs", "list", "--session", job_id, "--json").lines) == 3


def test_a_job_that_was_only_begun_is_taken_over(loopwright_command: CommandLine) -> None:
    """The process died before the first phase: nothing is lost, and nothing is begun twice."""

    async def begin() -> str:
        async with Loopwright.open(settings_in(loopwright_command.folder)) as application:
            return (await create_run(application, await job_run(application, load_config("creator")))).session_id

    job_id = asyncio.run(begin())
    shown = loopwright_command("jobs", "show", job_id, "--json").last
    assert (shown["status"], shown["phase"], shown["phases"]) == ("queued", None, [])
    assert "not begun" in loopwright_command("jobs", "list").out
    assert "is queued" in loopwright_command("jobs", "rewind", job_id, "--to-phase", "1", code=2).err
    done = loopwright_command("jobs", "resume", job_id, "--json", script=[END]).last
    assert (done["job_id"], done["status"]) == (job_id, "completed")
    assert len(loopwright_command("runs", "list", "--json").lines) == 1


def test_a_job_goes_back_and_on(loopwright_command: CommandLine) -> None:
    """Rewound from its end to a phase, it is there again, and can be resumed."""
    script = [call("write_file", path="workspace.md", content="# Early"), *one_tactical_phase([]), END]
    job_id = loopwright_command("jobs", "run", "creator", "--json", script=script).last["job_id"]
    assert "no phase 9" in loopwright_command("jobs", "rewind", job_id, "--to-phase", "9", code=2).err
    loopwright_command("jobs", "rewind", job_id, "--to-phase", "0", code=2)
    back = loopwright_command("jobs", "rewind", job_id, "--to-phase", "2", "--json").last
    assert (back["to_phase"], back["status"], back["phase"]["kind"]) == (2, "rewound", "tactical")
    assert back["phase"]["todos_done"] == 0
    script = [*one_tactical_phase([])[-2:], END]
    assert loopwright_command("jobs", "resume", job_id, "--json", script=script).last["status"] == "completed"
    words = loopwright_command("jobs", "rewind", job_id, "--to-phase", "1").out
    assert f"loopwright jobs resume {job_id}" in words
    workspace = Path(loopwright_command("jobs", "show", job_id, "--json").last["workspace"])
    assert "Early" not in (workspace / "workspace.md").read_text()


def test_what_people_read(loopwright_command: CommandLine) -> None:
    """Id and folder first, the way to the results last."""
    assert "No jobs yet" in loopwright_command("jobs", "list").out
    done = loopwright_command("jobs", "run", "validator", script=[END])
    assert done.err.startswith("Job ")
    assert "All is read." in done.out
    assert "output/a.md" in done.out
    assert "loopwright jobs requirements " in done.out


def test_a_workspace_belongs_to_one_job(loopwright_command: CommandLine) -> None:
    """Another job in it is refused with the way to go on; a folder of an unknown job is refused too."""
    Path("ws/documents").mkdir(parents=True)
    Path("ws/documents/own.md").write_text("Mine")
    done = loopwright_command("jobs", "run", "creator", "--workspace", "ws", "--json", script=[END]).last
    assert loopwright_command("jobs", "show", done["job_id"], "--json").last["documents"] == ["documents/own.md"]
    refused = loopwright_command("jobs", "run", "creator", "--workspace", "ws", code=2)
    assert f"jobs resume {done['job_id']}" in refused.err
    Path("ws").rename("moved")
    assert "does not know" in loopwright_command("jobs", "run", "creator", "--workspace", "moved", code=2).err
    Path("file").write_text("x")
    assert "cannot be used" in loopwright_command("jobs", "run", "creator", "--workspace", "file", code=2).err


def test_documents_of_one_name_are_kept_apart(loopwright_command: CommandLine) -> None:
    """Other content gets another name, the same content none; device names are changed."""
    for path, text in (("a/x.md", "one"), ("b/X.md", "two"), ("c/x.md", "one"), ("d/nul.md", "device")):
        Path(path).parent.mkdir()
        Path(path).write_text(text)
    files = ["a/x.md", "b/X.md", "c/x.md", "d/nul.md"]
    arguments = [part for file in files for part in ("--document", file)]
    done = loopwright_command("jobs", "run", "creator", *arguments, "--json", script=[END]).last
    folder = Path(done["workspace"]) / "documents"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "x.md": "one",
        "X-2.md": "two",
        "document-nul.md": "device",
    }


def test_configs_are_checked(loopwright_command: CommandLine) -> None:
    """Valid ones, ones with remarks, broken ones: exit code, pointer, hint."""
    assert loopwright_command("jobs", "validate", "creator", "--json").last["valid"]
    Path("mine.json").write_text('{"$extends": "creator", "phase_setings": {}, "todo": {"max_items": 9}}')
    report = loopwright_command("jobs", "validate", "mine.json", "--json").last
    assert report["layers"] == ["mine.json", "creator", "defaults"]
    assert [(issue["severity"], issue["pointer"]) for issue in report["issues"]] == [("warning", "/phase_setings")]
    assert "Did you mean 'phase_settings'?" in loopwright_command("jobs", "validate", "mine.json").out
    assert "note: mine.json: /phase_setings" in loopwright_command("jobs", "run", "mine.json", script=[END]).err
    Path("bad.json").write_text('{"limits": {"max_phases": 1}, "language": "fr"}')
    bad = loopwright_command("jobs", "validate", "bad.json", "--json", code=2).last
    assert [issue["pointer"] for issue in bad["issues"]] == ["/language", "/limits/max_phases"]
    assert "bad.json is not valid" in loopwright_command("jobs", "validate", "bad.json", code=2).out
    schema = loopwright_command("jobs", "schema").last
    jsonschema.validate(json.loads(Path("mine.json").read_text()), schema)
    assert not jsonschema.Draft202012Validator(schema).is_valid(json.loads(Path("bad.json").read_text()))


BAD_COMMANDS: dict[str, tuple[list[str], str]] = {
    "unknown config": (["run", "creater"], "Did you mean 'creator'?"),
    "broken config": (["run", "broken.json"], "not valid JSON"),
    "config that cannot be used": (["run", "wrong.json"], "/phase_settings/min_todos"),
    "no such document": (["run", "creator", "--document", "nope.pdf"], "no document nope.pdf"),
    "folder as document": (["run", "creator", "--document", "."], "not a file"),
    "empty document": (["run", "creator", "--document", "empty.md"], "is empty"),
    "large document": (["run", "small.json", "--document", "large.md"], "larger than 1,000 bytes"),
    "many documents": (["run", "creator", *["--document", "large.md"] * 101], "at most 100"),
    "long prompt": (["run", "creator", "--prompt", "x" * 100_001], "at most 100,000"),
    "unknown language": (["run", "creator", "--language", "fr"], "no language 'fr'"),
    "validation of nothing": (["validate", "nope.json"], "no config 'nope.json'"),
    "show of an unknown job": (["show", "nope"], "no job 'nope'"),
    "show of a path": (["show", "../../etc/passwd"], "no job"),
    "resume of an unknown job": (["resume", "nope"], "no job 'nope'"),
    "rewind of an unknown job": (["rewind", "nope", "--to-phase", "1"], "no job 'nope'"),
    "cancel of an unknown job": (["cancel", "nope"], "no job 'nope'"),
    "requirements of an unknown job": (["requirements", "nope"], "no job 'nope'"),
}


def test_bad_commands_exit_2_and_change_nothing(loopwright_command: CommandLine) -> None:
    """Words on stderr, or one JSON line where lines were asked for; no job, no workspace of any of them."""
    Path("broken.json").write_text("{")
    Path("wrong.json").write_text('{"phase_settings": {"min_todos": 0}}')
    Path("small.json").write_text('{"workspace": {"max_file_bytes": 1000}}')
    Path("large.md").write_text("x" * 1_001)
    Path("empty.md").touch()
    for number, (name, (arguments, told)) in enumerate(BAD_COMMANDS.items()):
        as_json = number % 2 == 0
        done = loopwright_command("jobs", *arguments, *(["--json"] if as_json else []), code=2)
        said = " ".join(f"{line['message']} {line['hint']}" for line in done.lines) if as_json else done.err
        assert told in said, name
        assert len(done.lines) == as_json
        assert "Traceback" not in done.out + done.err
    assert loopwright_command("jobs", "list", "--json").lines == []
    assert not Path("out").exists()


def test_another_agents_session_is_not_a_job(loopwright_command: CommandLine) -> None:
    session = loopwright_command("pages", VAGUE, "--json", script=one_page()).last["session_id"]
    assert "it is not a job" in loopwright_command("jobs", "show", session, code=2).err


def test_requirements_are_printed_and_written(loopwright_command: CommandLine) -> None:
    """A line each with the quote on its page; no cell of the table is a formula."""
    quote = "=HYPERLINK(1) shall be kept for ten years by the operator."
    Path("rules.md").write_text(f"# Rules\n\n{quote}\n")
    script = [*one_tactical_phase(work(quote)), END]
    done = loopwright_command("jobs", "run", "creator", "--document", "rules.md", "--json", script=script).last
    assert done["requirements"] == 1
    (line,) = loopwright_command("jobs", "requirements", done["job_id"], "--json").lines
    fields = ["requirement_id", "text", "name", "type", "priority", "status", "confidence", "citations"]
    assert list(line) == fields
    assert (line["text"], line["status"]) == (f"{quote} Always.", "pending")
    assert [(cited["source"], cited["quote"]) for cited in line["citations"]] == [("documents/rules.md", quote)]
    assert "documents/rules.md" in loopwright_command("jobs", "requirements", done["job_id"]).out
    loopwright_command("jobs", "requirements", done["job_id"], "--csv", "out.csv")
    with open("out.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["text"] == f"'{quote} Always."
    assert row["quote"] == f"'{quote}"
    assert (row["confidence"], row["page"]) == ("0.9", str(line["citations"][0]["page"] or ""))
    assert loopwright_command("jobs", "requirements", done["job_id"], "--csv", "no/out.csv", code=2).err
    assert loopwright_command("jobs", "show", done["job_id"], "--json").last["requirements"]["pending"] == 1


def work(quote: str) -> list[tuple[str, dict[str, Any]]]:
    """Cite the quote and add a requirement on it."""
    added = {
        "text": f"{quote} Always.",
        "name": "Ten years",
        "req_type": "compliance",
        "priority": "high",
        "citations": ["CIT-001"],
        "confidence": 0.9,
    }
    return [("cite_document", {"path": "documents/rules.md", "quote": quote}), ("add_requirement", added)]


def one_tactical_phase(calls: list[tuple[str, dict[str, Any]]]) -> list[Turn]:
    """Plan five todos, do the calls in the first of them, and come back to planning."""
    todos = [{"id": number, "content": f"Step number {number}"} for number in range(1, 6)]

    def done(*numbers: int) -> Turn:
        return Turn(calls=tuple(("todo_complete", {"todo_id": number, "notes": "Done."}) for number in numbers))

    plan = call("todo_write", todos=todos, phase="Work", description="")
    return [plan, done(1, 2, 3), done(4), *(Turn(calls=(each,)) for each in calls), done(1, 2, 3, 4), done(5)]
