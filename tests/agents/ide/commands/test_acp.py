"""`loopwright ide --acp`, driven by the protocol SDK's own client over a real process."""

import asyncio
import json

import pytest
from acp import PROTOCOL_VERSION, RequestError, text_block

from tests.agents.ide.commands.editor import Editor, editing
from tests.support.commands import Installation
from tests.support.model_server import ModelServer, calls, hang, status, text

DONE = json.dumps({"state": "DONE", "missing": [], "reason": "The file says so."})
REPORT = json.dumps({"summary": "It is short.", "findings": [], "missing_steps": [], "suggested_next_actions": []})


@pytest.fixture
def place(tmp_path):
    return Installation(tmp_path)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "greet.py").write_text("def greet(name):\n    return 'Hello ' + name\n")
    return folder


async def test_what_the_agent_offers(place, root):
    editor = Editor()
    async with editing(place, editor) as agent:
        hello = await agent.initialize(protocol_version=PROTOCOL_VERSION)
        assert hello.protocol_version == PROTOCOL_VERSION
        assert hello.agent_info.name == "loopwright"
        assert hello.agent_capabilities.load_session
        session = await agent.new_session(cwd=str(root), mcp_servers=[])
        assert session.modes.current_mode_id == "agent"
        assert {mode.id for mode in session.modes.available_modes} == {"agent", "chat"}
        assert {each.id: each.current_value for each in session.config_options} == {
            "mode": "agent",
            "reasoning": "off",
            "qa": "auto",
        }
        with pytest.raises(RequestError, match="absolute"):
            await agent.new_session(cwd="somewhere", mcp_servers=[])
        with pytest.raises(RequestError, match="no session"):
            await agent.prompt(session_id="unknown", prompt=[text_block("Hello")])


async def test_a_question_in_chat_mode(place, root):
    editor = Editor()
    script = [
        calls(("index_read_lines", {"path": "greet.py", "start_line": 1, "end_line": 9})),
        text("It joins two strings."),
    ]
    async with ModelServer(script) as server:
        async with editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            session = await agent.new_session(cwd=str(root), mcp_servers=[])
            await agent.set_session_mode(session_id=session.session_id, mode_id="chat")
            ended = await agent.prompt(session_id=session.session_id, prompt=[text_block("What does greet do?")])
        server.assert_done()
    assert ended.stop_reason == "end_turn"
    assert editor.said().startswith("It joins two strings.")
    assert len(editor.of("agent_message_chunk")) > 1
    [started] = editor.of("tool_call")
    assert (started.kind, started.title) == ("read", "Read greet.py")
    assert started.locations[0].path == str(root / "greet.py")
    assert editor.of("tool_call_update")[-1].status == "completed"
    assert editor.asked == []
    assert editor.of("config_option_update")[0].config_options[0].current_value == "chat"


async def test_a_change_is_asked_about_with_its_difference(place, root):
    editor = Editor(choose=lambda tool_call, options: "allow_run")
    script = [
        calls(("replace_in_file", {"path": "greet.py", "search": "'Hello '", "replace": "'Hi '"})),
        calls(("write_file", {"path": "notes.md", "content": "Greets.\n"})),
        text("It says Hi now."),
        text(DONE),
        text(REPORT),
    ]
    async with ModelServer(script) as server:
        async with editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            session = await agent.new_session(cwd=str(root), mcp_servers=[])
            ended = await agent.prompt(session_id=session.session_id, prompt=[text_block("Say Hi, and note it.")])
        server.assert_done()
    assert ended.stop_reason == "end_turn"
    assert (root / "greet.py").read_text() == "def greet(name):\n    return 'Hi ' + name\n"
    [(asked, options)] = editor.asked  # the second change is allowed for this run
    assert (asked.kind, asked.title) == ("edit", "Edit greet.py")
    assert asked.content[0].path == str(root / "greet.py")
    assert "    return 'Hello ' + name\n" in asked.content[0].old_text
    assert "    return 'Hi ' + name\n" in asked.content[0].new_text
    assert [option.option_id for option in options] == ["allow_once", "allow_run", "allow_always", "reject_once"]
    assert [option.name for option in options[1:3]] == [
        "Allow for this run: changes of the project's files",
        "Always allow in this project: changes of the project's files",
    ]
    assert [each.tool_call_id for each in editor.of("tool_call")] == list(
        dict.fromkeys(each.tool_call_id for each in editor.of("tool_call_update"))
    )
    assert [each.status for each in editor.of("tool_call")] == ["pending", "in_progress"]
    assert {each.status for each in editor.of("tool_call_update")} == {"in_progress", "completed"}
    assert editor.said().startswith("It says Hi now.")
    assert "QA review (advisory): It is short." in editor.said("agent_thought_chunk")


async def test_a_refusal_changes_nothing_and_the_model_hears_of_it(place, root):
    editor = Editor(choose=lambda tool_call, options: "reject_once")
    script = [
        calls(("delete_file", {"path": "greet.py"})),
        text("Nothing was deleted."),
    ]
    async with ModelServer(script) as server:
        async with editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            session = await agent.new_session(cwd=str(root), mcp_servers=[])
            await agent.prompt(session_id=session.session_id, prompt=[text_block("Delete it.")])
        told = server.requests[1].body["messages"][-2]
    assert (root / "greet.py").is_file()
    assert (told["role"], "did not allow" in told["content"]) == ("tool", True)
    assert editor.of("tool_call_update")[-1].status == "failed"


async def test_reasoning_comes_as_thoughts_when_the_user_wants_it(place, root):
    editor = Editor()
    macro = (
        "<ide_reasoning>\nAnalyze: the user asks what greet does.\nResearch: greet.py has it.\n"
        "Plan: read it, then answer.\nReflect: nothing can break.\nAction: index_read_file greet.py\n"
        "Delivery: NEEDS_WORK\n</ide_reasoning>\n\nI read greet.py next."
    )
    micro = (
        "<ide_reasoning>\n- Outcome: the file was found.\n- Next: answer the user.\n- Why: all is known.\n"
        "</ide_reasoning>\n"
    )
    script = [text(macro), text(micro + "It greets people."), text(micro + DONE)]
    async with ModelServer(script) as server:
        async with editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            session = await agent.new_session(cwd=str(root), mcp_servers=[])
            options = await agent.set_config_option(session_id=session.session_id, config_id="reasoning", value="on")
            await agent.set_config_option(session_id=session.session_id, config_id="qa", value="off")
            with pytest.raises(RequestError, match="cannot be"):
                await agent.set_config_option(session_id=session.session_id, config_id="reasoning", value="much")
            ended = await agent.prompt(session_id=session.session_id, prompt=[text_block("What does it do?")])
        server.assert_done()
    assert ended.stop_reason == "end_turn"
    assert {each.id: each.current_value for each in options.config_options}["reasoning"] == "on"
    assert editor.said().startswith("I read greet.py next.It greets people.")
    assert "Analyze: the user asks" in editor.said("agent_thought_chunk")
    assert "ide_reasoning" not in editor.said() + editor.said("agent_thought_chunk")


async def test_cancelling_ends_the_turn_while_a_question_stands(place, root):
    editor = Editor(choose=lambda tool_call, options: None)
    async with (
        ModelServer([calls(("delete_file", {"path": "greet.py"}))]) as server,
        editing(place, editor, OPENAI_BASE_URL=server.base_url) as agent,
    ):
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=str(root), mcp_servers=[])
        ended = await agent.prompt(session_id=session.session_id, prompt=[text_block("Delete it.")])
    assert ended.stop_reason == "cancelled"
    assert (root / "greet.py").is_file()
    assert place.newest_run()["status"] == "cancelled"


async def test_cancelling_breaks_off_a_model_that_thinks(place, root):
    async with ModelServer([hang()]) as server, editing(place, Editor(), OPENAI_BASE_URL=server.base_url) as agent:
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=str(root), mcp_servers=[])
        turn = asyncio.ensure_future(
            agent.prompt(session_id=session.session_id, prompt=[text_block("Think about it.")])
        )
        await server.came.wait()
        await agent.cancel(session_id=session.session_id)
        assert (await turn).stop_reason == "cancelled"


async def test_a_conversation_is_taken_up_by_another_process(place, root):
    script = [
        calls(("planner", {"steps": [{"step": "Read it", "status": "done"}]})),
        text("It greets people."),
        text(DONE),
    ]
    first, second = Editor(), Editor()
    async with ModelServer(script) as server:
        async with editing(place, first, "--no-qa", OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            session = await agent.new_session(cwd=str(root), mcp_servers=[])
            await agent.prompt(session_id=session.session_id, prompt=[text_block("What does it do?")])
        server.assert_done()
    async with editing(place, second) as agent:
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        [known] = (await agent.list_sessions(cwd=str(root))).sessions
        assert (known.session_id, known.title) == (session.session_id, "What does it do?")
        loaded = await agent.load_session(cwd=str(root), session_id=session.session_id, mcp_servers=[])
        assert {each.id: each.current_value for each in loaded.config_options}["qa"] == "off"
        with pytest.raises(RequestError, match="not about"):
            await agent.load_session(cwd=str(root.parent), session_id=session.session_id, mcp_servers=[])
    assert second.said("user_message_chunk") == "What does it do?"
    assert second.said().startswith("It greets people.")
    assert first.said().startswith("It greets people.")
    assert second.of("plan") == first.of("plan")
    [entry] = first.of("plan")[0].entries
    assert (entry.content, entry.status) == ("Read it", "completed")


async def begun(agent, root):
    """A session about the project."""
    await agent.initialize(protocol_version=PROTOCOL_VERSION)
    return (await agent.new_session(cwd=str(root), mcp_servers=[])).session_id


async def test_a_model_that_refuses_is_an_error_with_what_to_do_next(place, root):
    async with (
        ModelServer([status(401, "wrong key")]) as server,
        editing(place, Editor(), OPENAI_BASE_URL=server.base_url) as agent,
    ):
        session_id = await begun(agent, root)
        with pytest.raises(RequestError, match="wrong key") as failed:
            await agent.prompt(session_id=session_id, prompt=[text_block("Hello")])
        assert failed.value.data["code"] == "model_rejected"
    [path] = place.folder.glob(f"home/projects/*/runs/{session_id}/*")
    end = json.loads(path.read_text().splitlines()[-1])
    assert (end["phase"], "wrong key" in end["failureReason"]) == ("failed", True)


async def test_a_run_that_an_editor_left_does_not_block_its_conversation(place, root):
    first = Editor()
    asked = asyncio.Event()

    async def never(*_, **__):
        asked.set()
        await asyncio.Event().wait()

    first.request_permission = never
    async with ModelServer([calls(("delete_file", {"path": "greet.py"})), text("It greets.")]) as server:
        async with editing(place, first, OPENAI_BASE_URL=server.base_url) as agent:
            session_id = await begun(agent, root)
            turn = asyncio.ensure_future(agent.prompt(session_id=session_id, prompt=[text_block("Delete it.")]))
            await asked.wait()
        with pytest.raises(ConnectionError):
            await turn
        assert place.newest_run()["status"] == "waiting_input"
        second = Editor()
        async with editing(place, second, "--mode", "chat", OPENAI_BASE_URL=server.base_url) as agent:
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            await agent.load_session(cwd=str(root), session_id=session_id, mcp_servers=[])
            assert second.of("tool_call")[0].status == "pending"
            await agent.set_session_mode(session_id=session_id, mode_id="chat")
            ended = await agent.prompt(session_id=session_id, prompt=[text_block("What does it do?")])
    assert ended.stop_reason == "end_turn"
    assert second.said().startswith("It greets.")


async def test_what_was_allowed_for_the_program_is_not_asked_about(place, root):
    editor = Editor()
    script = [
        calls(("create_file", {"path": "notes.md", "content": "Greets.\n"})),
        text("Noted."),
        text(DONE),
        text("Noted it."),
    ]
    async with (
        ModelServer(script) as server,
        editing(place, editor, "--yes-to", "write", "--no-qa", OPENAI_BASE_URL=server.base_url) as agent,
    ):
        session_id = await begun(agent, root)
        await agent.prompt(session_id=session_id, prompt=[text_block("Note it.")])
        with pytest.raises(RequestError, match="script is at its end"):
            await agent.prompt(session_id=session_id, prompt=[text_block("Again.")])
    assert editor.asked == []
    [change] = [each for update in editor.of("tool_call_update") for each in update.content or []]
    assert (change.path, change.old_text, change.new_text) == (str(root / "notes.md"), None, "Greets.\n")
