"""An editor on the Agent Client Protocol, with the offline model: no account, no network."""

from acp import PROTOCOL_VERSION, text_block

from tests.agents.ide.commands.editor import Editor, editing
from tests.support.commands import Installation


async def test_a_rename_is_asked_about_made_and_reported(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "greet.py").write_text("def hello(name):\n    return 'Hello ' + name\n")
    (root / "main.py").write_text("from greet import hello\n\nprint(hello('you'))\n")
    editor = Editor(choose=lambda tool_call, options: "allow_run")
    async with editing(Installation(tmp_path), editor) as agent:
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=str(root), mcp_servers=[])
        ended = await agent.prompt(session_id=session.session_id, prompt=[text_block("rename hello to welcome")])
    assert ended.stop_reason == "end_turn"
    assert (root / "greet.py").read_text() == "def welcome(name):\n    return 'Hello ' + name\n"
    assert (root / "main.py").read_text() == "from greet import welcome\n\nprint(welcome('you'))\n"
    assert editor.asked[0][0].kind == "edit"
    assert {change.path for change in editor.asked[0][0].content} == {str(root / "greet.py"), str(root / "main.py")}
    assert "welcome" in editor.said()
