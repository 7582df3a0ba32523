"""`loopwright ide` with one message: switches, permissions, the last line."""

import json

from tests.support.pages_model import Turn, call

DONE = Turn(json.dumps({"state": "DONE", "missing": [], "reason": "It is there."}))
REPORT = Turn(json.dumps({"summary": "Nothing to say.", "findings": []}))


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
    assert done.last["message"] == "`greet` is defined in greet.py."
    assert (done.last["mode"], done.last["reasoning"], done.last["changed_files"]) == ("chat", False, [])
    assert done.last["root"] == str(root)


def test_a_message_goes_through_delivery_and_qa(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [
        call("index_read_file", path="greet.py"),
        Turn("greet() joins two strings."),
        DONE,
        Turn("It joins two strings."),
        REPORT,
    ]
    done = loopwright_command("ide", "--root", str(root), "What does greet do?", script=script)
    assert "It joins two strings." in done.out
    assert "ide --session" in done.out


def test_every_run_leaves_its_snapshot(loopwright_command, tmp_path):
    root = project(tmp_path)
    script = [call("index_read_file", path="greet.py"), Turn("It greets.")]
    done = loopwright_command("ide", "--root", str(root), "--mode", "chat", "What is it?", "--json", script=script)
    path = root / ".loopwright/ide/runs" / done.last["session_id"] / f"{done.last['run_id']}.jsonl"
    first, second, end = [json.loads(line) for line in path.read_text().splitlines()]
    assert first["userInput"] == "What is it?"
    assert first["toolCalls"] == [
        {"id": first["toolCalls"][0]["id"], "name": "index_read_file", "argumentKeys": ["path"]}
    ]
    assert first["toolResults"][0]["status"] == "completed"
    assert first["toolResults"][0]["targetFile"] == "greet.py"
    assert (first["phase"], first["iteration"], second["assistantDraft"]) == ("chat", 1, "It greets.")
    assert (end["phase"], end["failureReason"]) == ("completed", None)
