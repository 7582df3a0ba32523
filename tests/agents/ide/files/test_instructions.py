"""What a project's AGENTS.md or CLAUDE.md becomes."""

from pathlib import Path

from loopwright.agents.ide.project import Projects
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.agents.ide.protected import project_instructions


def told(root: Path, tokens: int = 1_000, **files: str) -> str:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".md").write_text(text, encoding="utf-8")
    return project_instructions(ProjectFiles(root), tokens)


def test_a_project_without_any_has_none(tmp_path: Path) -> None:
    assert told(tmp_path, README="Hello.") == ""


def test_agents_md_is_told_before_claude_md(tmp_path: Path) -> None:
    text = told(tmp_path, AGENTS="Use tabs.", CLAUDE="Use spaces.")
    assert "`AGENTS.md`" in text
    assert "Use tabs." in text
    assert "Use spaces." not in text


def test_claude_md_is_told_where_it_is_alone(tmp_path: Path) -> None:
    assert "Use spaces." in told(tmp_path, CLAUDE="Use spaces.")


def test_long_instructions_are_cut_and_say_so(tmp_path: Path) -> None:
    text = told(tmp_path, tokens=10, AGENTS="Use tabs. " * 100)
    assert "`AGENTS.md` has the rest" in text
    assert text.count("Use tabs.") <= 5


def test_those_of_folders_are_named(tmp_path: Path) -> None:
    text = told(tmp_path, web__AGENTS="Use React.", AGENTS="Use tabs.")
    assert "`web/AGENTS.md`" in text
    assert "Use React." not in text


def test_a_link_that_leads_out_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("password", encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    (root / "AGENTS.md").symlink_to("../secret.md")
    assert "password" not in told(root)


async def test_every_prompt_of_a_run_has_them(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "AGENTS.md").write_text("Name tests after what they show.", encoding="utf-8")
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    project = Projects(tmp_path / "home").at(root)
    await project.refresh()
    for profile in ("small", "frontier"):
        assert "Name tests after what they show." in await project.described("change x", profile)
