"""A conversation with the ide agent on a terminal."""

import asyncio
import json

import pytest

from tests.support.commands import Installation
from tests.support.model_server import ModelServer, calls, hang, text
from tests.support.terminal import Terminal

DONE = json.dumps({"state": "DONE", "missing": [], "reason": "The file says so."})
QUESTION = "[a] always in this project"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "greet.py").write_text("def greet(name):\n    return 'Hello ' + name\n")
    return folder


async def held(root, script, talk):
    """Let a person talk to the command in a thread, while this loop answers as the model."""
    async with ModelServer(script) as server:
        place = Installation(root.parent, {"OPENAI_BASE_URL": server.base_url})

        def person():
            with Terminal(place, ("ide", "--root", str(root), "--no-qa")) as terminal:
                talk(terminal)
                return terminal.seen

        seen = await asyncio.to_thread(person)
        server.assert_done()
        return seen


async def test_a_change_is_shown_allowed_made_and_taken_back(root):
    script = [
        calls(("replace_in_file", {"path": "greet.py", "search": "Hello", "replace": "Hi"}), content="I change it."),
        text("It says Hi now."),
        text(DONE),
    ]

    def talk(terminal):
        terminal.expect("agent> ")
        terminal.type("Say Hi.")
        shown = terminal.expect(QUESTION)
        assert "I change it." in shown
        assert "-    return 'Hello ' + name" in shown
        assert "\x1b[32m" in shown
        terminal.type("y")
        done = terminal.expect("agent> ")
        assert "It says Hi now." in done
        assert "Changed  greet.py" in done
        terminal.type("/diff")
        assert "+    return 'Hi ' + name" in terminal.expect("agent> ")
        terminal.type("/undo")
        assert "Restored greet.py" in terminal.expect("agent> ")
        terminal.type("/quit")
        assert terminal.end() == 0
        assert "Conversation " in terminal.seen

    await held(root, script, talk)
    assert "Hello" in (root / "greet.py").read_text()


async def test_the_switches_are_turned_by_the_user(root):
    def talk(terminal):
        terminal.expect("agent> ")
        terminal.type("/mode")
        assert "mode: chat" in terminal.expect("chat> ")
        terminal.type("/reasoning on")
        assert "reasoning: on" in terminal.expect("chat · reasoning> ")
        terminal.type("/reasoning sometimes")
        assert "It is one of on, off" in terminal.expect("reasoning> ")
        terminal.type("/sudo")
        assert "There is no command /sudo" in terminal.expect("reasoning> ")
        terminal.type("/help")
        assert "Ctrl-C stops" in terminal.expect("reasoning> ")
        terminal.type("What is it?")
        assert "It greets." in terminal.expect("reasoning> ")
        terminal.type("/quit")
        terminal.expect("--mode chat --reasoning on")
        assert terminal.end() == 0

    await held(root, [text("It greets.")], talk)


async def test_ctrl_c_stops_the_run_and_not_the_conversation(root):
    async with ModelServer([hang()]) as server:
        place = Installation(root.parent, {"OPENAI_BASE_URL": server.base_url})
        loop = asyncio.get_running_loop()

        def person():
            with Terminal(place, ("ide", "--root", str(root))) as terminal:
                terminal.expect("agent> ")
                terminal.type("Think.")
                asyncio.run_coroutine_threadsafe(server.came.wait(), loop).result(60)
                terminal.interrupt()
                assert "Cancelled" in terminal.expect("agent> ")
                terminal.type("/quit")
                assert terminal.end() == 0

        await asyncio.to_thread(person)
