"""Every agent's folder has the same parts, so that who knows one knows five."""

from pathlib import Path

from tests.shape.source import PACKAGE

AGENTS = PACKAGE / "agents"


def agent_folders(agents: Path) -> list[Path]:
    """The folders that hold an agent."""
    return sorted(path for path in agents.iterdir() if path.is_dir() and path.name != "__pycache__")


def missing_parts(agent: Path) -> list[str]:
    """The parts that the agent's folder lacks."""
    parts = {
        "spec.py": (agent / "spec.py").is_file(),
        "contracts.py or contracts/": (agent / "contracts.py").is_file()
        or (agent / "contracts" / "__init__.py").is_file(),
        "tools/": any((agent / "tools").glob("*.py")),
        "prompts/*.md": any((agent / "prompts").rglob("*.md")),
        "offline.py or offline/": (agent / "offline.py").is_file() or (agent / "offline" / "__init__.py").is_file(),
    }
    return [f"{agent.name} lacks {part}" for part, present in parts.items() if not present]


def test_every_agent_has_its_parts() -> None:
    """There is at least one agent, and none lacks a part."""
    agents = agent_folders(AGENTS)
    assert agents
    problems = [problem for agent in agents for problem in missing_parts(agent)]
    assert not problems, "\n".join(problems)


def test_the_rule_itself(tmp_path: Path) -> None:
    """A folder without a playbook for the offline model is told so."""
    agent = tmp_path / "sixth"
    for part in ("tools/act.py", "prompts/system.md", "spec.py", "contracts.py"):
        (agent / part).parent.mkdir(parents=True, exist_ok=True)
        (agent / part).touch()
    assert missing_parts(agent) == ["sixth lacks offline.py or offline/"]
    (agent / "offline.py").touch()
    assert missing_parts(agent) == []
