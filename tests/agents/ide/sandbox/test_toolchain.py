"""The user's own programs in the sandbox: theirs are there, Loopwright's are not, and a project opens no folder."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import Toolchain, toolchain
from tests.agents.ide.commanding import command, confined
from tests.support.users_venv import users_programs, users_venv

__all__ = ["users_programs", "users_venv"]
SECRET = "CANARY-4711"


def executable(place: Path, text: str = "#!/bin/sh\necho here\n") -> Path:
    """A program."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)
    return place


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with the tools that developers have, and secrets beside them."""
    home = tmp_path / "home" / "user"
    executable(home / ".cargo" / "bin" / "cargo")
    executable(home / ".cargo" / "bin" / "rustup")
    (home / ".cargo" / "credentials.toml").write_text(SECRET)
    (home / ".rustup" / "toolchains").mkdir(parents=True)
    executable(home / ".nvm" / "versions" / "node" / "v22" / "bin" / "node")
    executable(home / ".local" / "share" / "pypoetry" / "venv" / "bin" / "poetry")
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "poetry").symlink_to(home / ".local/share/pypoetry/venv/bin/poetry")
    (home / ".local" / "share" / "loopwright").mkdir()
    executable(home / "bin" / "mine")
    executable(home / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3.12")
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    monkeypatch.setattr(Path, "home", lambda: home)
    folders = (".cargo/bin", ".nvm/versions/node/v22/bin", ".local/bin", "bin")
    monkeypatch.setenv("PATH", os.pathsep.join([*(str(home / each) for each in folders), "/usr/bin", "/bin"]))
    return home


@pytest.fixture
def project(home: Path) -> Path:
    root = home / "project"
    (root / ".venv" / "bin").mkdir(parents=True)
    return root


def shown(found: Toolchain, home: Path) -> list[str]:
    """The folders that are shown, relative to the home folder."""
    return sorted(os.path.relpath(folder, home) for folder in found.folders)


def test_the_tools_of_the_users_shell_are_shown_and_nothing_beside_them(home: Path, project: Path) -> None:
    found = toolchain(project, (home / ".local" / "share" / "loopwright",))
    assert shown(found, home) == [
        ".cargo", ".local/bin", ".local/share/pypoetry/venv", ".nvm/versions/node/v22", ".rustup", "bin",
    ]  # fmt: skip
    assert found.hidden == (str(home / ".cargo" / "credentials.toml"),)
    assert found.variables == {"RUSTUP_HOME": str(home / ".rustup")}


LINKS: dict[str, Callable[[Path], Path]] = {
    "a file of the machine": lambda home: Path("/etc/hostname"),
    "a file at the top of the home folder": lambda home: home / ".profile",
    "a key": lambda home: home / ".ssh" / "id_ed25519",
    "another project": lambda home: executable(home / "other" / "bin" / "python3.12"),
    "a store itself": lambda home: home / ".pyenv" / "versions" / "python",
    "deep in a store": lambda home: executable(home / ".pyenv/versions/3.12.1/lib/x/bin/python3.12"),
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_in_the_project_opens_no_folder(name: str, home: Path, project: Path) -> None:
    before = toolchain(project).folders
    target = LINKS[name](home)
    if not target.exists():
        target.touch()
    (project / ".venv" / "bin" / "python").symlink_to(target)
    assert toolchain(project).folders == before


def test_the_interpreter_of_a_version_manager_is_shown_for_the_projects_environment(home: Path, project: Path) -> None:
    interpreter = home / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3.12"
    (project / ".venv" / "bin" / "python").symlink_to(interpreter)
    assert ".pyenv/versions/3.12.1" in shown(toolchain(project), home)


@pytest.mark.parametrize("entry", [".", "node_modules/.bin", "", "{root}/tools", "{home}/to-project"])
def test_folders_of_the_project_on_the_path_are_not_the_users(
    entry: str, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "tools").mkdir()
    (home / "to-project").symlink_to(project / "tools")
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", os.pathsep.join([entry.format(root=project, home=home), "/usr/bin"]))
    assert toolchain(project).path == ("/usr/bin",)


class TestInTheSandbox:
    pytestmark = confined

    async def test_a_link_made_by_one_command_opens_nothing_for_the_next(self, tmp_path: Path) -> None:
        root, secret = tmp_path / "project", tmp_path / "secret.txt"
        root.mkdir()
        secret.write_text(SECRET)
        made = await command(root, "mkdir -p .venv/bin && ln -sf /etc/hostname .venv/bin/python", protected=True)
        assert made.paths == [".venv/bin/python"]
        report = await command(root, f"cat {secret} /etc/shadow; ls /root /var /home; ls {tmp_path}")
        assert report.outcome is not None
        assert SECRET not in report.outcome.output
        assert "secret.txt" not in report.outcome.output.splitlines()

    async def test_the_users_environment_is_used_and_loopwrights_is_not_there(
        self, tmp_path: Path, users_venv: Path
    ) -> None:
        report = await command(tmp_path, "pytest --version; python -c 'import sys; print(sys.prefix)'; "
                               "python -c 'import loopwright'; ls " + sys.prefix)  # fmt: skip
        assert report.outcome is not None
        lines = report.outcome.output.splitlines()
        assert lines[0].startswith("pytest ")
        assert str(users_venv) in lines
        assert "ModuleNotFoundError: No module named 'loopwright'" in lines
        assert any(line.startswith("ls: cannot access") for line in lines)

    async def test_secrets_beside_the_users_tools_cannot_be_opened(
        self, tmp_path: Path, home: Path, project: Path
    ) -> None:
        report = await command(project, f"mine; cat {home}/.cargo/credentials.toml {home}/.ssh/id_ed25519; cargo")
        assert report.outcome is not None
        assert report.outcome.output.count("here") == 2
        assert SECRET not in report.outcome.output
