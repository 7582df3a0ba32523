"""`loopwright ide` with one message: switches, permissions, the last line."""

import json

import pytest

from tests.support.pages_model import Turn, call

DONE = Turn(json.dumps({"state": "DONE", "missing": [], "reason": "It is there."}))
REPORT = Turn(
    json.dumps({"summary": "Nothing to say.", "findings": [], "missing_steps": [], "suggested_next_actions": []})
)


def project(folder, **files):
    root = folder / "project"
    root.mkdir()
    (root / "greet.py").write_text("def greet(name):\n    return 'Hello ' + name\n")
    return root


def test_a_question_is_answered_in_chat_with_readers_alone(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [call("index_search_symbols", query="greet"), Turn("`greet` is defined in greet.py.")]
    done = loopwright_command("ide", "--root", str(root), "--mode", "chat", "Where is greet?", "--json", script=script)
    assert done.last["type"] == "complete"
    assert done.last["message"] == "Not used: “Where is greet”\n\n`greet` is defined in greet.py."
    assert (done.last["mode"], done.last["reasoning"], done.last["changed_files"]) == ("chat", False, [])
    assert done.last["root"] == str(root)


def test_a_message_goes_through_delivery_and_qa(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [
        call("index_read_file", path="greet.py"),
        Turn("It joins two strings."),
        DONE,
        REPORT,
    ]
    done = loopwright_command("ide", "--root", str(root), "What does greet do?", "--qa", script=script)
    assert "It joins two strings." in done.out
    assert "ide --session" in done.out


def test_going_on_keeps_the_switches(loopwright_command, tmp_path):
    root = project(tmp_path)
    asked = ("ide", "--root", str(root), "What does greet do?")
    in_chat = loopwright_command(*asked, "--mode", "chat", script=[Turn("It joins two strings.")])
    assert '--mode chat "…"' in in_chat.out
    script = [Turn("It joins two strings."), DONE]
    in_agent = loopwright_command(*asked, "--no-qa", script=script)
    assert "--mode" not in in_agent.out


def test_a_command_is_shown_with_what_a_yes_would_allow(loopwright_command, tmp_path):
    root = project(tmp_path)
    asked = ("ide", "--root", str(root), "Count.")
    plain = loopwright_command(*asked, script=[call("run_command", command="wc -l greet.py | sort")], code=3)
    hidden = loopwright_command(*asked, script=[call("run_command", command="sh -c 'wc -l greet.py'")], code=3)
    if "outside the sandbox" not in plain.out:
        assert "allows: wc …, sort …" in plain.out
        assert "--scope always" in plain.out
    assert "--scope" not in hidden.out
    assert "--approve" in hidden.out


def test_prefixes_are_allowed_and_revoked(loopwright_command, tmp_path):
    root = project(tmp_path)
    for rule, kept in (("git commit", "run:git commit"), ("protected", "protected")):
        allowed = loopwright_command("ide", "permissions", "allow", rule, "--root", str(root), "--json")
        assert allowed.last == {"type": "complete", "root": str(root), "allowed": kept}
    shown = loopwright_command("ide", "permissions", "list").out
    assert "git commit …" in shown
    assert "other programs trust" in shown
    for wrong in ("run", "git", "git commit -m x", "sh -c x", "everything else"):
        refused = loopwright_command("ide", "permissions", "allow", wrong, "--root", str(root), "--json", code=2)
        assert refused.last["code"] == "invalid_input", wrong
    taken = loopwright_command("ide", "permissions", "revoke", "git commit", "--root", str(root), "--json")
    assert taken.last["revoked"] == ["run:git commit"]


def test_every_run_leaves_its_snapshot(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [call("index_read_file", path="greet.py"), Turn("It greets.")]
    done = loopwright_command("ide", "--root", str(root), "--mode", "chat", "What is it?", "--json", script=script)
    [path] = (tmp_path / "home").glob(f"projects/*/runs/{done.last['session_id']}/{done.last['run_id']}.jsonl")
    first, second, end = [json.loads(line) for line in path.read_text().splitlines()]
    assert first["userInput"] == "What is it?"
    assert first["toolCalls"] == [
        {"id": first["toolCalls"][0]["id"], "name": "index_read_file", "argumentKeys": ["path"]}
    ]
    assert first["toolResults"][0]["status"] == "completed"
    assert first["toolResults"][0]["targetFile"] == "greet.py"
    assert (first["phase"], first["iteration"], second["assistantDraft"]) == ("chat", 1, "It greets.")
    assert (end["phase"], end["failureReason"]) == ("completed", None)


def test_the_requests_of_a_run_can_be_rebuilt(loopwright_command, tmp_path):
    script = [call("index_read_file", path="greet.py"), Turn("It greets.")]
    root = str(project(tmp_path))
    done = loopwright_command("ide", "--root", root, "--mode", "chat", "What is it?", "--json", script=script)
    lines = loopwright_command("ide", "replay", done.last["run_id"], "--json").lines
    assert [(line["step"], line["purpose"]) for line in lines] == [(1, "chat"), (2, "chat")]
    whence = loopwright_command("ide", "replay", done.last["run_id"], "--step", "1", "--why")
    assert "What is it?" in whence.out
    assert "↳ event 2 user_message" in whence.out


def journal(loopwright_command, run_id):
    return loopwright_command("runs", "events", run_id, "--json").lines


def waiting(loopwright_command, root, *options):
    script = [call("replace_in_file", path="greet.py", search="Hello", replace="Hi")]
    return loopwright_command("ide", "--root", str(root), "Say Hi.", "--json", *options, script=script, code=3)


REST = [Turn("It says Hi now."), DONE, REPORT]


def test_a_change_waits_for_permission_and_shows_its_difference(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [call("replace_in_file", path="greet.py", search="Hello", replace="Hi")]
    waited = loopwright_command("ide", "--root", str(root), "Say Hi.", script=script, code=3)
    assert "-    return 'Hello ' + name" in waited.out
    assert "+    return 'Hi ' + name" in waited.out
    for way in ("--approve\n", "--approve --scope run", "--approve --scope always", "--reject"):
        assert way in waited.out
    assert "Hello" in (root / "greet.py").read_text()


def test_a_permission_for_the_run_is_asked_for_once(loopwright_command, tmp_path):
    root = project(tmp_path)
    waited = waiting(loopwright_command, root)
    more = [call("create_file", path="notes.md", content="Greets.\n"), *REST]
    done = loopwright_command(
        "runs", "answer", waited.last["run_id"], "--approve", "--scope", "run", "--json", script=more
    )
    assert done.last["changed_files"] == ["greet.py", "notes.md"]
    events = journal(loopwright_command, done.last["run_id"])
    assert [event["payload"]["answer"] for event in events if event["type"] == "gate_answered"] == [
        {"decision": "approve", "scope": "run"}
    ]
    again = waiting(loopwright_command, root_with(tmp_path / "other"))
    assert again.last["type"] == "waiting"


def root_with(folder):
    folder.mkdir()
    return project(folder)


def test_a_permission_for_good_lasts_until_it_is_revoked(loopwright_command, tmp_path):
    root = project(tmp_path)
    waited = waiting(loopwright_command, root)
    loopwright_command("runs", "answer", waited.last["run_id"], "--approve", "--scope", "always", "--json", script=REST)
    [listed] = loopwright_command("ide", "permissions", "list", "--json").lines
    assert listed == {"root": str(root), "allowed": ["write"]}
    script = [call("replace_in_file", path="greet.py", search="Hi", replace="Hey"), *REST]
    later = loopwright_command("ide", "--root", str(root), "Say Hey.", "--json", script=script)
    assert later.last["changed_files"] == ["greet.py"]
    revoked = loopwright_command("ide", "permissions", "revoke", "write", "--root", str(root), "--json")
    assert revoked.last["revoked"] == ["write"]
    missing = loopwright_command("ide", "permissions", "revoke", "--root", str(root), "--json", code=2)
    assert missing.last["code"] == "not_found"
    (root / "greet.py").write_text("def greet(name):\n    return 'Hello ' + name\n")
    assert waiting(loopwright_command, root).last["type"] == "waiting"


def test_a_scope_that_does_not_exist_is_refused_and_the_run_still_waits(loopwright_command, tmp_path):
    waited = waiting(loopwright_command, project(tmp_path))
    run_id = waited.last["run_id"]
    wrong = loopwright_command("runs", "answer", run_id, "--approve", "--scope", "forever", "--json", code=2)
    assert wrong.last["code"] == "invalid_input"
    assert loopwright_command("runs", "show", run_id, "--json").last["status"] == "waiting_input"


def test_nobody_is_asked_about_a_call_that_cannot_succeed(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [
        call("replace_in_file", path="greet.py", search="def farewell(person, when): return None", replace="x"),
        Turn("There is no farewell."),
        Turn("There is no farewell, so nothing was changed."),
    ]
    done = loopwright_command("ide", "--root", str(root), "Change farewell.", "--no-qa", "--json", script=script)
    events = journal(loopwright_command, done.last["run_id"])
    assert "gate_opened" not in {event["type"] for event in events}
    [result] = [event["payload"] for event in events if event["type"] == "tool_result"]
    assert (result["success"], result["name"]) == (False, "replace_in_file")


def test_what_a_run_changed_is_listed_shown_undone_and_restored(loopwright_command, tmp_path):
    root = project(tmp_path)
    before = (root / "greet.py").read_bytes()
    script = [call("replace_in_file", path="greet.py", search="Hello", replace="Hi"), *REST]
    done = loopwright_command("ide", "--root", str(root), "Say Hi.", "--yes-to", "write", "--json", script=script)
    run_id = done.last["run_id"]
    here = ("--root", str(root), "--json")
    [listed] = loopwright_command("ide", "checkpoints", "list", *here).lines
    assert (listed["checkpoint"], listed["paths"], listed["undone"]) == (run_id, ["greet.py"], False)
    assert "+    return 'Hi ' + name" in loopwright_command("ide", "checkpoints", "diff", run_id, *here).last["diff"]
    undone = loopwright_command("ide", "checkpoints", "undo", *here)
    assert undone.last["changed_files"] == ["greet.py"]
    assert (root / "greet.py").read_bytes() == before
    loopwright_command("ide", "checkpoints", "restore", undone.last["checkpoint"], *here)
    (root / "greet.py").write_text("# mine\n")
    refused = loopwright_command("ide", "checkpoints", "undo", run_id, *here, code=2)
    assert refused.last["code"] == "conflict"
    assert (root / "greet.py").read_text() == "# mine\n"
    loopwright_command("ide", "checkpoints", "undo", run_id, "--force", *here)
    assert (root / "greet.py").read_bytes() == before


def test_a_run_that_is_cancelled_while_it_waits_leaves_its_snapshot_too(loopwright_command, tmp_path):
    root = project(tmp_path)
    waited = waiting(loopwright_command, root)
    loopwright_command("runs", "cancel", waited.last["run_id"])
    [path] = (tmp_path / "home").glob(f"projects/*/runs/{waited.last['session_id']}/{waited.last['run_id']}.jsonl")
    *_, end = [json.loads(line) for line in path.read_text().splitlines()]
    assert end["phase"] == "cancelled"


def test_a_conversation_goes_on_in_its_own_project(loopwright_command, tmp_path):
    root = project(tmp_path)
    first = loopwright_command("ide", "--root", str(root), "--mode", "chat", "What?", "--json", script=[Turn("A.")])
    again = ("ide", "--session", first.last["session_id"], "--mode", "chat", "--json")
    second = loopwright_command(*again, "And?", script=[Turn("B.")])
    assert (second.last["session_id"], second.last["root"]) == (first.last["session_id"], str(root))
    elsewhere = loopwright_command(*again, "--root", str(tmp_path), "And?", code=2)
    assert "is about" in elsewhere.last["message"]


def test_memory_index_and_map(loopwright_command, tmp_path):
    here = ("--root", str(project(tmp_path)), "--json")
    assert loopwright_command("ide", "index", *here).last == {"type": "complete", "files": 1, "read": 1, "removed": 0}
    assert "greet.py: greet" in loopwright_command("ide", "map", *here).last["map"]
    added = loopwright_command("ide", "memory", "add", "Tests run with pytest.", "--category", "build", *here).last
    [listed] = loopwright_command("ide", "memory", "list", "pytest", *here).lines
    assert listed["memory_id"] == added["memory_id"]
    protected = loopwright_command("ide", "memory", "delete", added["memory_id"], *here, code=2)
    assert "--yes" in protected.last["hint"]
    loopwright_command("ide", "memory", "delete", added["memory_id"], "--yes", *here)
    assert loopwright_command("ide", "memory", "list", *here).lines == []
    assert loopwright_command("ide", "memory", "add", "x", *here, code=2).last["code"] == "invalid_input"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--root", "nowhere", "Hello"), "not a folder"),
        (("--yes-to", "sudo", "Hello"), "not a category"),
        (("--session", "unknown", "Hello"), "no session"),
        ((), "no terminal"),
    ],
)
def test_what_cannot_be_used_is_told(loopwright_command, arguments, told):
    refused = loopwright_command("ide", *arguments, "--json", code=2)
    assert told in refused.last["message"]
    assert refused.last["hint"]


def test_what_a_model_writes_cannot_speak_to_the_terminal(loopwright_command, tmp_path):
    script = [call("create_file", path="x.sh", content="echo \x1b[2K\x1b[1A safe\n")]
    waited = loopwright_command("ide", "--root", str(project(tmp_path)), "Write it.", script=script, code=3)
    assert "\x1b" not in waited.out
    assert "echo \ufffd[2K" in waited.out
