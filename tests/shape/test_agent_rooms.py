"""Every agent's folder has the same rooms, so that who knows one knows five."""

from pathlib import Path

from tests.shape.source import PACKAGE

AGENTS = PACKAGE / "agents"


def agent_folders(agents: Path) -> list[Path]:
    """The folders that hold an agent."""
    return sorted(path for path in agents.iterdir() if path.is_dir() and path.name != "__pycache__")


def missing_rooms(agent: Path) -> list[str]:
    """The rooms that the agent's folder lacks."""
    rooms = {
        "spec.py": (agent / "spec.py").is_file(),
        "contracts.py or contracts/": (agent / "contracts.py").is_file()
        or (agent / "contracts" / "__init__.py").is_file(),
        "tools/": any((agent / "tools").glob("*.py")),
        "prompts/*.md": any((agent / "prompts").rglob("*.md")),
        "offline.py or offline/": (agent / "offline.py").is_file() or (agent / "offline" / "__init__.py").is_file(),
    }
    return [f"{agent.name} lacks {room}" for room, present in rooms.items() if not present]


def test_every_agent_has_its_rooms() -> None:
    """There is at least one agent, and none lacks a room."""
    agents = agent_folders(AGENTS)
    assert agents
    problems = [problem for agent in agents for problem in missing_rooms(agent)]
    assert not problems, "\n".join(problems)


def test_the_rule_itself(tmp_path: Path) -> None:
    """A folder without a playbook for the offline model is told so."""
    agent = tmp_path / "sixth"
    for room in ("tools/act.py", "prompts/system.md", "spec.py", "contracts.py"):
        (agent / room).parent.mkdir(parents=True, exist_ok=True)
        (agent / room).touch()
    assert missing_rooms(agent) == ["sixth lacks offline.py or offline/"]
    (agent / "offline.py").touch()
    assert missing_rooms(agent) == []
